// Why a program and its kernel are as they are, in sentences made from the compiler's own
// decisions: how values lie, how cores and tiles divide them, which buffers are queues and why, how
// memory adds up, which instructions come in which order.
#pragma once
#include <string>

#include "corpus/compose/verify.h"

namespace akgen::corpus {

// Up to the program of the kernel language: what is computed and how the work is divided.
std::string PlanReasoning(const Candidate& c, const craft::Limits& limits);
// From there to Ascend C: buffers, instructions, memory, synchronisation.
std::string LoweringReasoning(const Candidate& c, const craft::Limits& limits);

}  // namespace akgen::corpus
