// The tables of measurements that commands take, and how their rows are tied to kernels.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/judging_options.h"
#include "judge/measured.h"

namespace akgen::cli {

// A table, and the traces of its kernels on the chip that is asked for.
struct Measurements {
  chip::Chip chip;
  sim::TimingParameters timing;
  std::vector<judge::MeasuredRow> rows;
  judge::TracedRows traced;
};

struct MeasuredOption {
  std::vector<std::string> names;
  void AddTo(CLI::App& command);
  // Runs every kernel of the table once. An exit code: kOk, or what went wrong is printed.
  int Trace(const std::string& file, const JudgingOptions& judging, Measurements& out) const;

 private:
  // AK0122, and where the file cannot be read.
  base::Result<std::vector<judge::MeasuredRow>> Read(const std::string& file) const;
};

}  // namespace akgen::cli
