// Client of akgen-runner, which loads untrusted objects into a confined child per request and runs
// them there. One request at a time; use one Runner per thread.
#pragma once
#include <string>
#include <vector>

#include "base/channel.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::runner {

class Runner {
 public:
  // Starts the helper process beside the running executable. AK0013 when it is missing.
  static base::Result<Runner> Start();
  Runner(Runner&&) = default;
  Runner& operator=(Runner&&) = default;
  ~Runner();
  // `request`: a RunnerRequest (runner/process/runner_request.h) as JSON. Answers: of kDescribe and
  // kTile what host/host_entry.h says, of kRun sim::RunReply, in {"status", "answers": […]} where
  // there are several; of kProgram
  // {"status", "exit_code", "console", "findings", "launches", …}, of kScript the first three; of
  // kStatus {"sandbox": [layers]}. On top of its own fields every answer has "status" ("ok", or
  // what went wrong, with "detail") and "process":
  // {"wall_ms", "cpu_ms", "max_rss_kib"}. Statuses made here: "timeout", "killed" (a forbidden
  // system call, or it ended its own process), "crash" (signal), "memory", "stopped" (the object or
  // its entry cannot be loaded). Where the object is a guest's image, a child that dies is "error",
  // and so is one that within kGuestPatience times "wall_ms" (or within "clock_ms") got less than
  // its share of that, "wall_ms", of processor time: "timeout" is then said of the kernel's own
  // work alone (250,000 scalar instructions for each millisecond; a call of the chip counts as 200
  // of them, an element or 32 bytes moved as one), or of the processor's time that it took. AK0010
  // … AK0012: the helper itself broke; it is started again for the next request.
  base::Result<base::Json> Call(const base::Json& request, const std::vector<int>& fds,
                                int timeout_ms);

 private:
  explicit Runner(base::HelperProcess process) : process_(std::move(process)) {}
  base::HelperProcess process_;
};

}  // namespace akgen::runner
