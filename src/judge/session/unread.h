// AK0609: an input that no case read, though the results depend on it.
#pragma once
#include <optional>
#include <set>

#include "base/json.h"
#include "judge/run/pack.h"
#include "record/verdict.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::judge {

// Numbers of the task's inputs of which some byte was read in a run (`unread` of the runner's
// answer names the other regions), and of those that need not be: absent in the case, told to the
// host side, or in place, where what is not written stays.
std::set<size_t> InputsRead(const task::TaskSpec& task, const OperatorDefinition& op,
                            const task::CaseDesc& c, const Packed& packed,
                            const std::vector<size_t>& unread);

// Asks the reference again with other values of the input. The finding when its outputs are others
// than for those of `seed`; none when they are the same, or the reference does not take the new
// values.
std::optional<record::Finding> Unread(task::ReferenceClient& reference, const task::TaskSpec& task,
                                      const task::CaseDesc& c, uint64_t seed, size_t input);

}  // namespace akgen::judge
