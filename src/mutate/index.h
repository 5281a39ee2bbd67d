// What a kernel's source contains, as byte ranges of its text: calls, variables, loops, functions.
// Made by akgen-source (libclang, in its own process); everything here is plain data, so that who
// edits sources needs no compiler.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "toolchain/project.h"

namespace akgen::mutate {

struct Span {
  size_t begin = 0, end = 0;  // bytes, half open
  bool Holds(const Span& o) const { return begin <= o.begin && o.end <= end; }
};

struct SourceText {
  std::string name;  // relative to the project's folder
  std::string path;  // absolute
  std::string text;
  bool host = false;  // of op_host: text alone, nothing in it is indexed
};

// `object.name<templ>(args…)`
struct SourceCall {
  size_t file = 0;
  Span whole;
  std::string name, object, templ;
  std::vector<Span> args;
};

// A variable, parameter or member; `init` is empty without an initialiser.
struct SourceVariable {
  size_t file = 0;
  Span whole, init;
  std::string name, type;
};

struct SourceLoop {
  size_t file = 0;
  Span condition;
};

struct SourceFunction {
  size_t file = 0;
  std::string name;
  Span body;  // with its braces
};

struct SourceIndex {
  std::vector<SourceText> files;
  std::vector<SourceCall> calls;  // by file and place
  std::vector<SourceVariable> variables;
  std::vector<SourceLoop> loops;
  std::vector<SourceFunction> functions;

  std::string Text(size_t file, Span s) const {
    return files[file].text.substr(s.begin, s.end - s.begin);
  }
  std::string Arg(const SourceCall& c, size_t i) const {
    return i < c.args.size() ? Text(c.file, c.args[i]) : "";
  }
  int LineAt(size_t file, size_t offset) const;
  // The innermost function around a place, or null.
  const SourceFunction* FunctionAt(size_t file, size_t offset) const;
};

// Indexes the kernel half of a project, as `device` sees it. `prelude`: text before the sources, as
// for the build. Places inside macro expansions are left out. AK0012: libclang gave nothing usable;
// AK0013: akgen-source is missing; AK0301: no such device.
base::Result<SourceIndex> IndexSource(const toolchain::Project& project,
                                      const toolchain::Device& device, const std::string& prelude,
                                      const std::vector<std::string>& include_dirs = {});

}  // namespace akgen::mutate
