// What akgen asks akgen-runner for (runner/runner_client.h says what comes back).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "sim/launch/run_messages.h"

namespace akgen::runner {

enum class Command {
  kDescribe,  // the host library: what it defines
  kTile,      // the host library: tiling and inference
  kRun,       // launches of a kernel; descriptors: inputs, outputs (shared memory)
  kProgram,   // main() of a program
  kScript,    // an interpreter with a script, argv; `so` is the interpreter
  kStatus,
};
std::string_view NameOf(Command command);

// How many times the time limit of a request a guest may take on the clock. It has a limit of work,
// which a loaded machine does not change; the clock ends what takes longer than its work says, or a
// machine that does too much at once.
inline constexpr double kGuestPatience = 1.5;
inline constexpr int kGuestLeastMs =
    1000;  // however short the limit: processes start in that time too

struct RunnerLimits {
  static constexpr int kDefaultWallMs = 10000;
  int wall_ms = kDefaultWallMs;
  std::optional<int> clock_ms;  // of a guest, on the clock; default: kGuestPatience times wall_ms
  std::optional<uint64_t> cpu_s,
      memory;  // default: wall_ms / 1000 + 1, a guest has twice that; by what is asked for
};

struct RunnerRequest {
  Command command = Command::kStatus;
  std::string so;  // the object
  // Of kDescribe and kTile, as host/host_entry.h takes them. In one child, one after the other: for
  // programs that trust each other. `single`: one request, whose answer stands alone.
  std::vector<base::Json> host;
  bool single = false;
  std::vector<sim::RunRequest> runs;  // of kRun, in one child likewise
  // Of kProgram and kScript.
  std::vector<std::string> argv, readable;  // readable: folders beside its own
  std::string dir;
  base::Json chip, checks = base::Json::object();  // of the chip as chip::ToJson has it
  base::Json timing;  // of a program: sim::TimingParameters, null: no time is asked for
  RunnerLimits limits;
};

base::Json ToJson(const RunnerRequest& request);
// AK0012: an unknown command; AK0014: another shape; those of sim::RunRequestFromJson.
base::Result<RunnerRequest> RunnerRequestFromJson(const base::Json& request);

}  // namespace akgen::runner
