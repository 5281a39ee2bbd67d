// What akgen and akgen-source say to each other: a source to parse, and what stands in it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::mutate {

struct ParseRequest {
  std::string main;                          // the file to parse
  std::string dir;                           // what lies elsewhere is not told
  std::vector<std::string> args;             // of the compiler
  std::map<std::string, std::string> files;  // path: text, in place of what is on the disk
};

// Bytes of a file, half open.
struct ParsedSpan {
  size_t begin = 0, end = 0;
};
// `file`: its path.
struct ParsedCall {
  std::string file;
  ParsedSpan whole;
  std::vector<ParsedSpan> args;
};
struct ParsedVariable {
  std::string file;
  ParsedSpan whole;
  std::optional<ParsedSpan> init;
  std::string name, type;
};
struct ParsedLoop {
  std::string file;
  ParsedSpan whole;
};
struct ParsedFunction {
  std::string file;
  ParsedSpan body;
  std::string name;
};
struct ParsedSource {
  std::string error;  // "": none
  std::vector<ParsedCall> calls;
  std::vector<ParsedVariable> variables;
  std::vector<ParsedLoop> loops;
  std::vector<ParsedFunction> functions;
};

base::Json ToJson(const ParseRequest& request);
base::Json ToJson(const ParsedSource& source);
// Both throw base::Json::exception.
ParseRequest ParseRequestFromJson(const base::Json& request);
ParsedSource ParsedSourceFromJson(const base::Json& source);

}  // namespace akgen::mutate
