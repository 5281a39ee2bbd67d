// The reward of an answer: one definition for reinforcement, generation and remote callers.
#pragma once
#include <optional>

#include "record/modelled.h"
#include "record/verdict.h"

namespace akgen::record {

// `outcome.name` is a verdict's name, `refused` or `no_code` (record/verdict.h). A pass is 1; when its modelled time
// and that of a known solution are both given, up to a quarter more or less by the logarithm of how many times as fast
// it is beyond what the model may be off (SpeedBeyond), a factor of two counting in full. A wrong answer is 0.2, a
// finding or a run that fails or does not end 0.1, everything else 0. nullopt: the outcome says nothing about the
// answer, or is not sealed (Counts() is false), and it must be left out.
std::optional<double> RewardOf(const Outcome& outcome, const Modelled& time = {}, const Modelled& reference = {});

}  // namespace akgen::record
