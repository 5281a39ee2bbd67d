// Layouts of candidates' folders. Four are recognised, task by task:
//   DIR/<Task>/sample<K>/{op_host,op_kernel}      n samples
//   DIR/<Task>/{op_host,op_kernel}                one sample
//   DIR/tasks/level<L>/<Category>/<Task>/answer/<K>/{op_host,op_kernel}   a checkout of
//   NPUKernelBench DIR/lvl<L>/<Category>/<Task>/sample<K>/src/{op_host,op_kernel}        what a run
//   of NPUKernelBench leaves
// In static mode the unit is one case: DIR/<Task>/case<ID>/sample<K>/… and
// DIR/lvl<L>/…/<Task>/fixed_case_<ID>/sample<K>/src/…. A kernel-only candidate needs no op_host,
// and its sources may lie in its folder without op_kernel.
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
  std::string case_id;  // static mode only
};

struct Candidate {
  size_t unit = 0;  // index
  int sample = 0;
  std::filesystem::path dir;
};

// Whether a word among the tasks names a folder of the user: it has a slash, or is a folder that
// has not the name of a level, of a task or of `all`.
bool NamesFolder(const std::string& word);

// By level1, level2, level3, all, or by name; in the order of ListTasks, each once. Then the tasks
// in folders that are named: one task, or level<L>/<Category>/<Task> below it. AK0101 for an
// unknown name, or two tasks of one name.
base::Result<std::vector<task::TaskInfo>> SelectTasks(const std::vector<std::string>& wanted);

// Candidates of the units, by unit and sample; samples from `n` on are left out (n = 0: all).
// AK0510 when `dir` is no folder, or holds a candidate for none of the units.
base::Result<std::vector<Candidate>> FindCandidates(const std::filesystem::path& dir,
                                                    const std::vector<Unit>& units, int n,
                                                    bool kernel_only = false);

// Kernel-only mode: the project below `dir` whose op_host/ is the unit's host side, in the layouts
// above (sample 0, answer 0). Empty when there is none: then the host side is the task's own
// (judge/host/skeleton.h).
std::filesystem::path FindHost(const std::filesystem::path& dir, const Unit& unit);
// Of the host sides of all units; "" when `dir` is empty. AK0510 when it holds a host side for none
// of them.
base::Result<std::string> HashOfHosts(const std::filesystem::path& dir,
                                      const std::vector<Unit>& units);

// Hash of everything in the candidate's folder. AK0511 when there is nothing that can be read.
base::Result<std::string> HashOfCandidate(const Candidate& candidate);

}  // namespace akgen::bench
