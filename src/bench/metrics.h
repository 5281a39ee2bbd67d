// Numbers of a run. Denominators are always all units of the run: a missing candidate, an
// inconclusive verdict (unsupported, undecided), an internal error and unsealed verdicts count as
// not passed, and separately in the taxonomy.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "store/store.h"

namespace akgen::bench {

// 1 - C(n-c, k) / C(n, k): the chance that k of n samples, drawn without replacement, hold one of
// the c right ones. 0 <= c <= n, 1 <= k <= n.
double PassAtK(int n, int c, int k);

struct Interval {
  double value = 0, low = 0, high = 0;  // 95 %, percentile bootstrap over the units
};
// Mean of PassAtK over units with their interval; `right` holds c per unit. Deterministic.
Interval MeanPassAtK(const std::vector<int>& right, int n, int k, int resamples = 1000);

// HAP = (base - bound) / ((time - bound) + (base - bound)): 1/2 at the baseline, 1 at the
// hardware's bound. Nothing when a time is not positive or not finite or the denominator is not
// positive.
std::optional<double> Hap(double time, double base, double bound);
// Share of all units whose speedup is above p; a unit that is not right has none.
double FastP(const std::vector<std::optional<double>>& speedups, double p);

// What became of one unit.
struct UnitResult {
  std::string name, category;
  int level = 0, samples = 0;  // samples: of n, those that have a candidate
  int built = 0, public_right = 0, hidden_right = 0, right = 0;  // right: public and hidden
  bool hidden = false;                                           // the run has hidden cases for it
  std::vector<std::optional<double>> speedups;  // one per sample, when times are modelled
  std::vector<std::optional<double>> least,
      most;                                   // … where the eager estimate's range would put them
  std::vector<std::optional<double>> beyond;  // … beyond what either time may be off
  std::vector<double> haps;  // of samples that are right and whose times are modelled
};

struct Metrics {
  int n = 1;
  std::vector<UnitResult> units;
  std::map<std::string, int> taxonomy;  // of all units * n samples: verdict of the public part,
                                        // "missing", "not judged" or "unsealed"
  std::map<int, Interval> pass, compile, pass_public, pass_hidden;  // by k
  std::map<int, double> level_rate;  // level → share of its units * n samples that are right
  double weighted = 0;  // 0.2, 0.3, 0.5 of the levels present, as NPUKernelBench prints it
  bool modelled_time = false;
  double hap = 0;  // mean over all units * n, 0 for samples that are not right
};
// By the `ks` that are at most n, and always by n. Verdicts that `keep` refuses are missing.
base::Result<Metrics> Measure(const store::Store& store, const store::RunRow& run,
                              const std::vector<int>& ks = {1, 5, 10},
                              const store::Store::Keep& keep = {});
base::Json ToJson(const Metrics& metrics);

// Shares of all units whose speedup is above p, for one of kFastP; of a run whose times are
// modelled.
struct FastPShares {
  double p = 0, said = 0;
  double low = 0, high = 0;  // with the eager estimate at either end of its range
  double beyond = 0;         // beyond what either time may be off
  std::string Name() const;  // of p, as JSON has it
};
std::vector<FastPShares> FastPSharesOf(const Metrics& metrics);

inline constexpr double kFastP[] = {0.2, 0.8, 1, 1.5, 2};
inline constexpr const char* kNotModelled = "not modelled";

}  // namespace akgen::bench
