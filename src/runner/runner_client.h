// Client of akgen-runner, which loads untrusted objects into a confined child per request and runs them there.
// One request at a time; use one Runner per thread.
#pragma once
#include <string>
#include <vector>

#include "base/channel.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::runner {

// How many times the wall-clock limit of a request a guest may take: it has a limit of work, which a loaded machine
// does not change, and the wall clock only bounds internal errors.
inline constexpr int kGuestPatience = 10;

class Runner {
 public:
  // Starts the helper process beside the running executable. AK0013 when it is missing.
  static base::Result<Runner> Start();
  Runner(Runner&&) = default;
  Runner& operator=(Runner&&) = default;
  ~Runner();
  // Requests ("limits" may be left out: {"wall_ms" 10000, "cpu_s" wall_ms / 1000 + 1, "memory" bytes};
  // a guest has twice that processor time):
  //   {"cmd": "describe", "so", "request"?}   answer of host::Describe (host/host_entry.h)
  //   {"cmd": "tile", "so", "request": {…}}   answer of host::Tile
  //   {"cmd": "run", "so", "runs": [sim::RunRequest…]} → {"status", "answers": [sim::RunReply…]}
  //                                            (sim/launch/run_messages.h); fds: inputs, outputs (shared memory).
  //   Several runs, and tile with "requests": […] in place of "request", which answers alike, are done in one child,
  //   one after the other: for programs that trust each other.
  //   {"cmd": "program", "so", "argv": […], "dir", "readable"?: […], "chip": chip::ToJson's, "checks"?} → {"status",
  //   "exit_code", "console", "findings", "launches", …}
  //   {"cmd": "status"} → {"sandbox": [layers]}
  // On top of its own fields every answer has "status" ("ok", or what went wrong, with "detail") and "process":
  // {"wall_ms", "cpu_ms", "max_rss_kib"}. Statuses made here: "timeout", "killed" (a forbidden system call, or it
  // ended its own process), "crash" (signal), "memory", "stopped" (the object or its entry cannot be loaded). Where the
  // object is a guest's image, a child that dies is "error", and so is one that within kGuestPatience times "wall_ms"
  // got less than "wall_ms" of processor time: "timeout" is then said of the kernel's own work alone (250,000 scalar
  // instructions for each millisecond; a call of the chip counts as 200 of them, an element or 32 bytes moved as one),
  // or of the processor's time that it took.
  // AK0010 … AK0012: the helper itself broke; it is started again for the next request.
  base::Result<base::Json> Call(const base::Json& request, const std::vector<int>& fds, int timeout_ms);

 private:
  explicit Runner(base::HelperProcess process) : process_(std::move(process)) {}
  base::HelperProcess process_;
};

}  // namespace akgen::runner
