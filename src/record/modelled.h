// Modelled times as records give them: with the range in which the true time may lie
// (docs/timing.md, Ranges).
#pragma once
#include <string>

#include "base/json.h"

namespace akgen::record {

// Microseconds. `us` 0: not known.
struct Modelled {
  double us = 0, low = 0, high = 0;
  bool known() const { return us > 0; }
};

// Of an object with "us" and "range_us" ("baseline_us" and "baseline_range_us" with that prefix).
// Without a range the time counts as it stands.
Modelled ModelledOf(const base::Json& modelled, const std::string& prefix = "");

// {"us", "range_us"}, nothing when it is not known.
base::Json ToJson(const Modelled& m);

// Sum of the times of cases, skipped ones aside: {"verdict", "modelled": {…}} or, as journals have
// them, {"verdict", "modelled_us", "modelled_range_us"}. Not known when that of one case is not.
Modelled SumOfCases(const base::Json& cases);
// Of all cases of a judgement's record; not known where it is none.
Modelled SumOfRecord(const base::Json& record);

inline Modelled operator+(const Modelled& a, const Modelled& b) {
  return {a.us + b.us, a.low + b.low, a.high + b.high};
}

// How many times as fast `a` is as `b`, as far as the difference is beyond what the model may be
// off: each must lie outside of the other's range. 1 where they cannot be told apart, or one is not
// known; below 1 where `b` is faster.
double SpeedBeyond(const Modelled& a, const Modelled& b);

}  // namespace akgen::record
