// An operator's definition, compared with the task: what the toolkit would refuse to build, or
// route to something else, is a finding even where the kernel's numbers are right.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "chip/chip.h"
#include "judge/host/messages.h"
#include "record/verdict.h"
#include "task/task.h"
#include "toolchain/project.h"

namespace akgen::judge {

// The name that an operator's kernel has: UnalignAdd -> unalign_add, AbcAAc -> abc_a_ac, Abc2Def ->
// abc2_def (naming rules of operator projects).
std::string KernelNameOf(std::string_view op_type);

// Whatever the case. AK3010 parameters of another kind or order, AK3011 lists of unequal length,
// AK3013 attributes, AK3014 not for this chip, AK3015 names that do not belong together. `op`: one
// of host.ops.
std::vector<record::Finding> FaultsOfDefinition(const Description& host,
                                                const OperatorDefinition& op,
                                                const toolchain::Project& project,
                                                const task::TaskSpec& task, const chip::Chip& chip);
// In one case. AK3012: no column has its data types and formats.
std::vector<record::Finding> FaultsOfColumns(const OperatorDefinition& op,
                                             const toolchain::Project& project,
                                             const task::CaseDesc& c);
// AK3016: InferShape or InferDataType say something else than the case. An extent below 0 is not
// known yet, nor is a data type that is not set.
std::vector<record::Finding> FaultsOfInference(const TileReply& reply,
                                               const toolchain::Project& project,
                                               const task::CaseDesc& c);

}  // namespace akgen::judge
