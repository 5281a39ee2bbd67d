// Runs a program of the system to its end and keeps what it prints. For trusted tools (a cluster's commands); candidates
// run in the sandbox.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::base {

struct ProgramResult {
  int exit_code = 0;        // 128 + signal when it was killed
  std::string output;       // standard output and standard error
};
// `argv[0]` is looked for on PATH. AK0015 when it cannot be started.
Result<ProgramResult> RunProgram(const std::vector<std::string>& argv);

}  // namespace akgen::base
