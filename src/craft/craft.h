// The DSL from text to project: parse, check, lower, emit. docs/craft/language.md is the language.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "craft/check/check.h"
#include "craft/emit/emit.h"
#include "craft/passes/lowered.h"
#include "craft/syntax/diagnostic.h"

namespace akgen::craft {

struct Compiled {
  Diagnostics diagnostics;            // empty: everything below is there
  std::vector<ir::Program> programs;  // by column of dtypes
  std::vector<LoweredProgram> lowered;
};
// Refuses what it cannot lower: a program that compiles gives a project that builds.
Compiled Compile(const std::string& source, const Target& target,
                 const std::function<void(const Pass&, const LoweredKernel&)>& after_pass = {});

}  // namespace akgen::craft
