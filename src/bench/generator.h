// Generated candidates: a generator writes a project per task, which is then judged like any other.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "bench/candidates.h"
#include "craft/ir/target.h"
#include "store/store.h"

namespace akgen::bench {

struct Generated {
  std::string task, reason;  // reason: why there is none; empty: it lies in DIR/<task>/sample0
  bool emitted() const { return reason.empty(); }
};

// The planner (judge/plan_task.h) for every unit: op_host, op_kernel and the program itself
// (program.py) go to DIR/<task>/sample0. What an earlier call left there is replaced. `progress`
// gets the task about to be tried.
base::Result<std::vector<Generated>> GenerateByPlan(
    const std::vector<Unit>& units, const std::filesystem::path& dir, const craft::Target& target,
    const std::function<void(size_t done, const std::string& task)>& progress);

struct GeneratorReport {
  size_t tasks = 0;
  int emitted = 0, built = 0;
  int passed = 0;                              // every public case
  int passed_hidden = 0;                       // public and hidden cases
  size_t findings = 0;                         // candidates with a finding in either part
  std::map<std::string, std::string> refused;  // task: reason
  struct Failure {
    std::string part, verdict, reason;
  };
  std::map<std::string, Failure> failed;  // by task
};
// Members by name.
base::Json ToJson(const GeneratorReport& report);
base::Result<GeneratorReport> ReportOf(const std::vector<Generated>& made,
                                       const store::Store& store, const std::string& run);

}  // namespace akgen::bench
