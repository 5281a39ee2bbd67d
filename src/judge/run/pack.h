// The tensors of a case in shared memory, as the runner takes them.
#pragma once
#include <string>
#include <vector>

#include "base/files.h"
#include "base/status.h"
#include "judge/host/operator_definition.h"
#include "sim/launch/run_messages.h"
#include "task/inputs.h"
#include "task/task.h"

namespace akgen::judge {

// Outputs (and inputs that are overwritten) in one shared block, regions and kernel arguments for
// the runner.
struct Packed {
  std::vector<sim::RunRegion> regions;
  std::vector<sim::RunArgument> args;
  base::SharedMemory outputs;
  struct Output {
    size_t offset = 0;
    task::TensorDesc desc;
    std::string name;
    bool compared = true;
  };
  std::vector<Output> flat_outputs;  // in the order of the golden
};
// Fills the rest of each input's allocation with NaN patterns, so that a kernel that uses it gives
// itself away.
void PoisonPadding(const task::TensorSet& inputs);
// `need_atomic`: outputs start with the value that their definition gives them (InitValue), where
// it does.
base::Result<Packed> Pack(const OperatorDefinition& op, const task::CaseDesc& c,
                          const task::TensorSet& inputs, bool need_atomic = false);

}  // namespace akgen::judge
