// A finding with the sources it is about: both places, what their operands are, the order that is
// missing, the smallest change that gives it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "record/verdict.h"

namespace akgen::report {

// Text of a source by the name that a finding has for it; "": it cannot be read.
using ReadSource = std::function<std::string(const std::string& file)>;

// The source line of a place with a caret under what it is about, and the queues that its operands
// are of: lines for people, each after `indent`. "": the source cannot be read.
std::string Excerpt(const record::Place& place, const ReadSource& read, const std::string& indent);
// The same of any line: the caret stands under `word`, or where that is not on it under all of it.
std::string ExcerptOfLine(const std::string& text, int line, const std::string& word,
                          const std::string& indent);

// With the caret at a column, from 1 on.
std::string ExcerptAt(const std::string& file, int line, int column, const ReadSource& read,
                      const std::string& indent);

// Several lines for people, with a line break at the end.
std::string Explain(const record::Finding& finding, const ReadSource& read);

}  // namespace akgen::report
