// Runs a recorded model on tensors: kernels as guests on the chip, everything between them in the
// judge.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chip/chip.h"
#include "judge/kernelbench/recording.h"
#include "judge/run/executor.h"
#include "judge/time/timing.h"

namespace akgen::judge::kernelbench {

struct Values {
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

struct MachineOptions {
  chip::Chip chip;
  base::Json checks = base::Json::object();
  int timeout_ms = 60000;  // of each launch
  record::Backend backend = record::kDefaultBackend;
};

// Of each source of the trace, in its own dtype.
using ValuesOfSources = std::vector<std::vector<uint8_t>>;

// The memory of one call: inputs and parameters where nothing may be written, and everything else.
struct CallMemory {
  base::SharedMemory in, out;
  std::vector<bool> given;  // by storage: in `in`
  std::vector<bool> fresh;  // nothing has written it
  std::vector<size_t> at;
  uint8_t* Of(Place p) const {
    return (given[p.storage] ? in : out).data() + at[p.storage] + p.offset;
  }
};

class Machine {
 public:
  // Builds the kernels for the launches that were recorded, numbers among their arguments as
  // constants.
  static std::variant<Machine, Stop> Build(Executor& executor, const std::string& asc,
                                           const Recording& recording,
                                           const MachineOptions& options);

  struct Ran {
    std::vector<Values> outputs;
    std::vector<record::Finding> findings;      // that decide nothing
    base::Json modelled = base::Json::array();  // of each launch, where time was asked for
  };
  // `inputs`: of forward, in order; what is no tensor is empty.
  std::variant<Ran, Stop> Run(Executor& executor, const std::vector<Values>& inputs,
                              bool time) const;

 private:
  std::optional<Stop> Call(Executor& executor, size_t number, bool time, ValuesOfSources* values,
                           Ran* ran) const;
  std::optional<Stop> Steps(Executor& executor, size_t number, CallMemory& memory, bool time,
                            Ran* ran) const;
  std::optional<Stop> Launch(Executor& executor, const LaunchStep& launch, sim::RunRequest request,
                             const CallMemory& memory, bool time, Ran* ran) const;
  Machine(const Recording& recording, MachineOptions options)
      : recording_(&recording), options_(std::move(options)) {}
  const Recording* recording_;  // the caller's
  MachineOptions options_;
  std::string object_;
  std::vector<std::vector<std::string>> entries_;  // by call and launch
};

}  // namespace akgen::judge::kernelbench
