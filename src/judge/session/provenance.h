// What a verdict depends on, as hashes: records alone show whether two verdicts came from the same
// task, judge, chip and candidate. Every hash is a SHA-256 in hex, "" for something that cannot be
// read.
#pragma once
#include <filesystem>
#include <string>

#include "base/json.h"
#include "chip/chip.h"
#include "task/task.h"

namespace akgen::judge {

// task.toml, cases.json and reference.py.
std::string HashOfTask(const task::TaskSpec& task);
// All that is known of the SoC, and its timing model.
std::string HashOfChip(const chip::Chip& chip);
std::string HashOfChip(const std::string& name);  // "" when there is no such chip
// The programs that judge, the host library they load and the headers that kernels are compiled
// against. Computed once per process.
const std::string& HashOfJudge();

}  // namespace akgen::judge
