// A direct-launch program's view from outside: which chip it runs on, and what happened while it
// ran. The functions of include/ascendc/acl are implemented beside this file; one program per
// process.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check/findings.h"
#include "sim/launch/launch.h"

namespace akgen::sim {

struct ProgramOptions {
  ChipModel chip;
  Checks checks;
  std::string soc_name;  // as the vendor's platform file spells it
  std::function<void(std::string_view)>
      on_print;  // what kernels print, at the end of each launch; may be empty
  std::optional<TimingParameters> timing;  // asks for the modelled time of each launch
};

struct ProgramReport {
  std::string status = "ok";  // LaunchResult::status of the first launch that was not "ok"
  std::string detail;
  std::vector<RawFinding> findings;  // of kernels and of the host's use of acl
  uint64_t launches = 0;
  uint64_t vector_ops = 0, copies = 0, bytes_in = 0, bytes_out = 0;
  // When time was asked for: of the first launches, kMaxTimes at most, "blocks" and what
  // ModelledTime says, or why there is none.
  static constexpr size_t kMaxTimes = 1024;
  std::vector<base::Json> times;
};

// Before the program's main: forgets everything and sets the chip.
void BeginProgram(ProgramOptions options);
// Where the program's object lies, once it is loaded: its variables are the kernels' own.
void SetProgramObject(uintptr_t begin, size_t bytes);
// After main returned or exited: reports leaks too.
ProgramReport EndProgram();

}  // namespace akgen::sim
