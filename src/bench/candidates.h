// Where candidates lie. Three layouts are recognised, task by task:
//   DIR/<Task>/sample<K>/{op_host,op_kernel}      n samples
//   DIR/<Task>/{op_host,op_kernel}                one sample
//   DIR/tasks/level<L>/<Category>/<Task>/answer/<K>/{op_host,op_kernel}   a checkout of NPUKernelBench
// In static mode the unit is one case: DIR/<Task>/case<ID>/sample<K>/….
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "task/task.h"

namespace akgen::bench {

// What is judged and counted: a task, or in static mode one case of it ("Sqrt@3").
struct Unit {
  std::string name;
  task::TaskInfo task;
  std::string case_id;   // static mode only
};

struct Candidate {
  size_t unit = 0;       // index
  int sample = 0;
  std::filesystem::path dir;
};

// By level1, level2, level3, all, or by name; in the order of ListTasks, each once. AK0101 for an unknown name.
base::Result<std::vector<task::TaskInfo>> SelectTasks(const std::vector<std::string>& wanted);

// Candidates of the units, by unit and sample; samples from `n` on are left out (n = 0: all).
// AK0510 when `dir` is no folder, or holds a candidate for none of the units.
base::Result<std::vector<Candidate>> FindCandidates(const std::filesystem::path& dir, const std::vector<Unit>& units, int n);

// Hash of everything in the candidate's folder. AK0511 when there is nothing that can be read.
base::Result<std::string> HashOfCandidate(const Candidate& candidate);

}  // namespace akgen::bench
