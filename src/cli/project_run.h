// Operator projects without a task: `akgen run PROJECT` and `akgen doctor PROJECT`.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/judging_options.h"

namespace akgen::cli {

// Where a project lies, and what it is written against.
struct AroundOptions {
  std::vector<std::string> include_dirs;
  std::string repository, with_sources;
  void AddTo(CLI::App& command);
  // A repository that is not named is found by its layout; "none" is none.
  void Into(const std::string& project, judge::Options& options) const;
};

struct ProjectRunArgs {
  std::vector<std::string> inputs, outputs, attrs;
  std::string cases, reference, against, save, precision = "strict";
  AroundOptions around;
  void AddTo(CLI::App& command);
};

bool IsProject(const std::string& path);
// Exit code.
int RunProject(const std::string& project, const ProjectRunArgs& args,
               const judge::Options& options, const std::string& json);
int ExamineProject(const std::string& project, const AroundOptions& around,
                   const std::string& json);

}  // namespace akgen::cli
