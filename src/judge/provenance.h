// What a verdict rests on, as hashes: whether two verdicts came from the same task, judge, chip and candidate can be
// told from the records alone. Every hash is a SHA-256 in hex, "" for something that cannot be read.
#pragma once
#include <filesystem>
#include <string>

#include "base/json.h"
#include "task/task.h"

namespace akgen::judge {

// task.toml, cases.json and reference.py.
std::string HashOfTask(const task::TaskSpec& task);
// The data file of the SoC.
std::string HashOfChip(const std::string& name);
// The programs that judge, the host library they load and the headers that kernels are compiled against. Computed once
// per process.
const std::string& HashOfJudge();

}  // namespace akgen::judge
