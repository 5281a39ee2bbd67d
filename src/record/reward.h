// The reward of an answer: one definition for reinforcement, generation and remote callers.
#pragma once
#include <optional>

#include "record/verdict.h"

namespace akgen::record {

// `outcome.name` is a verdict's name, `refused` or `no_code` (record/verdict.h). A pass is 1; when its modelled time
// `us` and the time `reference_us` of a known solution are both given (above 0, microseconds), up to a quarter more or
// less by the logarithm of reference_us / us, a factor of two counting in full. A wrong answer is 0.2, a finding or a
// run that fails or does not end 0.1, everything else 0. nullopt: the outcome says nothing about the answer, or is not
// sealed (Counts() is false), and it must be left out.
std::optional<double> RewardOf(const Outcome& outcome, double us = 0, double reference_us = 0);

}  // namespace akgen::record
