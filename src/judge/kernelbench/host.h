// A binding's half of a candidate. Like a tiling function it runs in the sandbox, sees shapes and
// no data, and what it says is untrusted: launches, copies and values of tensors that it makes
// (include/ascendc/akgen/torch/record.h).
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/files.h"
#include "judge/kernelbench/stop.h"
#include "judge/kernelbench/trace.h"
#include "judge/run/executor.h"

namespace akgen::judge::kernelbench {

struct Place {
  size_t storage = 0;
  uint64_t offset = 0;  // bytes
  bool operator==(const Place&) const = default;
};
struct LaunchArgument {
  enum class Kind : uint8_t { kNull, kPlace, kBytes } kind = Kind::kNull;
  Place place;
  std::vector<uint8_t> bytes;  // of a number or a structure
};
struct LaunchStep {
  std::string kernel;
  uint32_t blocks = 1;
  std::vector<LaunchArgument> arguments;
};
struct CopyStep {
  Place to, from;
  uint64_t bytes = 0;
};
struct FillStep {
  Place to;
  std::vector<uint8_t> bytes;
  uint64_t times = 1;
};
using HostStep = std::variant<LaunchStep, CopyStep, FillStep>;

struct HostStorage {
  uint64_t bytes = 0;
  int argument = -1;  // number of the tensor among the call's tensors, in order
};
struct HostResult {
  Place place;
  std::string type;  // "f32"
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<int64_t> sizes, strides;
};
// One call of an operator.
struct HostCall {
  std::vector<HostStorage> storages;
  std::vector<HostStep> steps;
  std::vector<HostResult> results;
};

class HostHalf {
 public:
  // Builds the binding of custom_op.asc, whose kernels write their arguments down.
  static std::variant<HostHalf, Stop> Build(Executor& executor, const std::string& asc,
                                            const chip::Chip& chip);
  // What it does in this call.
  std::variant<HostCall, Stop> Call(Executor& executor, const TracedCall& call) const;

 private:
  HostHalf(std::string object, chip::Chip chip)
      : object_(std::move(object)), chip_(std::move(chip)) {}
  std::string object_;
  chip::Chip chip_;
};

}  // namespace akgen::judge::kernelbench
