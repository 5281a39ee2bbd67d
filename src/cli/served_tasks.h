// What `akgen serve` and `akgen mcp` judge: their tasks, and how many hidden cases.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "serve/judge_service.h"

namespace akgen::cli {

struct ServedTasks {
  std::vector<std::string> tasks;
  int hidden = 4;

  void AddTo(CLI::App& command);
  // AK0101, AK0102, AK0912.
  base::Status Into(serve::JudgeService::Options& options) const;
};

}  // namespace akgen::cli
