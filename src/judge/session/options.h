// What a judgement is asked for.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "judge/run/pack.h"
#include "judge/time/timing.h"
#include "record/backend.h"
#include "sim/launch/run_messages.h"
#include "task/task.h"

namespace akgen::judge {

// What a candidate is judged on: the simulated chip, a real device, or one after the other.
struct DeviceOptions {
  bool sim = true, npu = false;
  int npu_id = 0;
  bool profile = true;  // with the vendor's profiler where there is one
};

struct Options {
  std::string chip{chip::kDefaultChip};
  std::vector<std::string> cases;   // ids; empty: every case
  std::vector<task::CaseRow> rows;  // when not empty, these cases in place of the task's own
  std::string inputs = "wide";  // wide: as task.toml draws them; upstream: as the benchmark does
  bool range = true;            // after the cases of a task, its range group (task/range.h)
  std::string precision = "strict";  // strict (task/strict.h) or upstream (the task's own rule)
  std::vector<std::string> include_dirs;  // further folders for host code and kernels
  std::string repository,
      with_sources;  // toolchain/repository.h: where the project lies, the operator-base library
  bool kernel_only =
      false;         // the candidate is a kernel; its host side is `host`, a project's folder, or
  std::string host;  //   where that is empty the task's own (judge/host/skeleton.h)
  std::optional<uint64_t>
      seed;  // of the inputs; without one it is drawn after the host side was built
  int run_timeout_ms = 120000;               // of one case; on the clock 1.5 times as much
  base::Json checks = base::Json::object();  // as sim::ChecksFromJson reads them
  uint64_t schedule = 0;  // legal order of execution (sim/exec/schedule.h), 0: the eager one
  int orders = 3;         // so many others, for kernels whose blocks exchange data
  std::optional<sim::RunProbe> probe;  // when set, nothing is compared
  bool want_lines = false;             // fill CaseResult::lines
  bool want_print = false;  // fill CaseResult::print; hidden inputs could be read from it
  bool edits = false;       // fill Finding::edits; tries them, up to a hundred judgements more
  TimeOptions time;         // asks for modelled time of every case
  record::Backend backend = record::kDefaultBackend;
  DeviceOptions devices;
  // Where there is no task: inputs of the user's own, expected values of another origin, and a look
  // at the outputs.
  std::function<base::Status(const task::CaseDesc&, const task::TensorSet& inputs)> fill_inputs;
  std::function<base::Result<task::TensorSet>(const task::CaseDesc&, const task::TensorSet& inputs)>
      expected;
  std::function<void(const task::CaseDesc&, const Packed& outputs)> outputs;
  bool show_values =
      false;  // the host side sees the values of every input that its definition asks for
  std::function<void(size_t done, size_t all, const std::string& what)> progress;
};

}  // namespace akgen::judge
