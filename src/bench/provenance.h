// Content hashes that say what a verdict rests on. Equal hashes, equal verdict.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "task/task.h"

namespace akgen::bench {

// Names (relative to `root`, sorted) and contents of all regular files below `root`.
// AK0511 when the tree changes or vanishes while it is read.
base::Result<std::string> HashTree(const std::filesystem::path& root);

// task.toml, cases.json and reference.py.
base::Result<std::string> HashTask(const task::TaskSpec& task);
// The executables that judge and the headers kernels are built with. Computed once per process.
base::Result<std::string> HashJudge();
base::Result<std::string> HashChip(const std::string& chip);

}  // namespace akgen::bench
