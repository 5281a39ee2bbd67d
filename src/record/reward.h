// The reward of an answer: one table for reinforcement, preferences, the server's protocols and
// agents (docs/reward.md).
#pragma once
#include <optional>
#include <vector>

#include "record/judgement.h"
#include "record/verdict.h"

namespace akgen::record {

// Version of the table below; stands beside every reward that is kept or sent. 1, until 2026-11: a
// wrong answer 0.2, a finding 0.1, a pass up to a quarter more or less by its time relative to a
// known solution.
inline constexpr int kRewardVersion = 2;

// What the cases say beyond the outcome.
struct Merit {
  bool right_values =
      false;  // every output of every case agrees with the reference, findings aside
  double bound_share =
      0;  // of the least time that the chip allows over the modelled time, 0 to 1; 0: no time
};
// Of all cases but the skipped ones. The share is that of the sums over those whose time was asked
// for, as far as the difference is beyond what the model may be off (SpeedBeyond); 0 unless all of
// those have a time and a bound.
Merit MeritOf(const std::vector<CaseRecord>& cases);

// `outcome.name` is a verdict's name, `refused` or `no_code` (record/verdict.h).
//   pass                                              1 + 0.25 × bound_share
//   finding, with right values                        0.3
//   wrong_answer; finding without right values        0.1
//   runtime_error, timeout                            0.05
//   build_error, refused, rejected, no_code, too_long 0
// nullopt: the outcome says nothing about the answer, or is not sealed (Counts() is false), and it
// must be left out.
std::optional<double> RewardOf(const Outcome& outcome, const Merit& merit = {});

}  // namespace akgen::record
