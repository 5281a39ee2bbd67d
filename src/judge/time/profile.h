// What limits a kernel, and what to do about it: read from its modelled time (judge/time/timing.h,
// with what_if).
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "chip/chip.h"
#include "record/launch_time.h"

namespace akgen::judge {

struct Advice {
  std::string change;  // sim/timing/what_if.h
  std::string text;    // one sentence
  std::string file;    // the line it concerns; empty when unknown
  int line = 0;
  double us = 0;  // modelled time when it is followed
  double gain_low = 0,
         gain_high = 0;  // us, as far as the model is off for both times alike; 0: nobody says
};

struct Profile {
  // "launch-bound", "imbalanced cores", "few cores", "bank conflicts", "vector-bound",
  // "scalar-bound", "small bursts", "MTE2-bound", "MTE3-bound", "cube-bound", "MTE1-bound",
  // "Fixpipe-bound", "UB under-used", "sync-bound"
  std::string bottleneck;
  std::string why;             // one sentence with the numbers
  double us = 0;               // modelled
  std::vector<Advice> advice;  // the largest gain first
  double GainOf(const Advice& a) const { return us > 0 ? 1 - a.us / us : 0; }
};

Profile ProfileOf(const record::LaunchTime& time, const chip::Chip& chip);
base::Json ToJson(const Profile& profile);

}  // namespace akgen::judge
