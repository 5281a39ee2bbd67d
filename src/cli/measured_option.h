// The tables of measurements that commands take, and how their rows are tied to kernels.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "judge/measured.h"

namespace akgen::cli {

struct MeasuredOption {
  std::vector<std::string> names;
  void AddTo(CLI::App& command);
  // AK0122, and where the file cannot be read.
  base::Result<std::vector<judge::MeasuredRow>> Read(const std::string& file) const;
};

}  // namespace akgen::cli
