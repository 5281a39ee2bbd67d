// A source as far as edits need it: statements, calls and the functions around them, found by
// brackets and words. Comments and literals do not count. What is read wrongly here does no harm:
// every edit is tried.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/edit.h"

namespace akgen::judge {

struct TextSpan {
  size_t begin = 0, end = 0;  // offsets in bytes
  bool operator==(const TextSpan&) const = default;
  bool Holds(size_t at) const { return begin <= at && at < end; }
};

// `object.name<templates>(arguments)`
struct TextCall {
  std::string object, name;
  TextSpan whole, templates;  // templates: between < and >; empty when there is none
  std::vector<TextSpan> arguments;
};

class SourceText {
 public:
  SourceText(std::string file, std::string text);
  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  std::string Text(TextSpan span) const { return text_.substr(span.begin, span.end - span.begin); }

  // The statement that lies on a line, with its semicolon; the last one that begins there when
  // there are several.
  std::optional<TextSpan> StatementAt(int line) const;
  // All that end in a semicolon, in order.
  const std::vector<TextSpan>& statements() const { return statements_; }
  std::vector<TextSpan> StatementsIn(TextSpan span) const;
  // The innermost body of a function around a place, without its braces.
  std::optional<TextSpan> BodyAround(size_t at) const;
  // The first loop in a span: where its keyword stands.
  std::optional<size_t> LoopIn(TextSpan span) const;
  std::vector<TextCall> CallsIn(TextSpan span) const;
  bool Mentions(TextSpan span, std::string_view word) const;
  // Where a word stands in a span.
  std::vector<TextSpan> WordsIn(TextSpan span, std::string_view word) const;
  // The template argument that a variable is declared with: "half" of `LocalTensor<half> x`; ""
  // when unknown.
  std::string ElementOf(std::string_view type, std::string_view name) const;

  record::Edit Replace(TextSpan span, std::string text) const;
  // On a line of its own before or behind a statement.
  record::Edit Before(size_t at, const std::string& code) const;
  record::Edit Behind(size_t end, const std::string& code) const;
  // A statement with its line when nothing else is on it.
  record::Edit Without(TextSpan statement) const;

 private:
  void FindStatements();
  std::string IndentOf(size_t at) const;
  size_t Matching(size_t open) const;  // of ( [ {, npos without one

  std::string file_, text_, code_;  // code_: text_ with blanks for comments and literals
  std::vector<size_t> lines_;       // where each begins
  std::vector<TextSpan> statements_;
};

}  // namespace akgen::judge
