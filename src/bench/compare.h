// Two runs side by side: verdicts, findings and modelled times.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "store/store.h"

namespace akgen::bench {

// One candidate in two runs.
struct Flip {
  std::string unit, before, after;  // verdicts "public/hidden"
  int sample = 0;
};
// A case that both runs judged, and what one of them says of it and the other does not.
struct ComparedCase {
  std::string unit, part, id;
  int sample = 0;
};
struct FindingChange {
  ComparedCase at;
  std::string finding;        // "AK1201 op_kernel/k.cpp:12", with " (warning)" or " (undecided)"
  int before = 0, after = 0;  // how many of these
};
struct TimeChange {
  ComparedCase at;
  double before_us = 0, after_us = 0;  // modelled; 0: none, though it was asked for
};
struct RunComparison {
  int both = 0, only_first = 0, only_second = 0,
      neither = 0;          // right in …; candidates of either run
  double p_value = 1;       // exact McNemar test over the flips
  std::vector<Flip> flips;  // every candidate whose verdicts differ
  std::vector<FindingChange> findings;
  std::vector<TimeChange> times;     // of cases whose time both runs asked for
  std::string different_config;      // fields in which the runs' configurations differ
  std::vector<std::string> mixture;  // in what their records differ (record::Mixture)
  bool Same() const { return flips.empty() && findings.empty() && times.empty(); }
};
base::Result<RunComparison> Compare(const store::Store& a, const store::RunRow& run_a,
                                    const store::Store& b, const store::RunRow& run_b);
// Two-sided: the chance of a split at least as uneven as (b, c) when both are equally likely.
double McNemar(int b, int c);

}  // namespace akgen::bench
