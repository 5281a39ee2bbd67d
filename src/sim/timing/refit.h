// Launch, memory and clock of the timing model fitted to measurements of kernels whose traces are
// at hand: a user's own hardware.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "record/parity.h"
#include "sim/timing/replay.h"

namespace akgen::sim {

struct MeasuredKernel {
  std::string group;                   // its operator: what is left out together
  std::shared_ptr<const Trace> trace;  // of the kernel that was measured
  bool core = false;                   // measured is the mean core, else the whole launch
  double measured = 0;                 // microseconds, above 0
};

struct RefitError {
  size_t row = 0;      // of the measured kernels
  std::string regime;  // RegimeOf
  double measured = 0, modelled = 0;
  double Relative() const { return modelled / measured - 1; }
};

struct RefitParameter {
  std::string name;
  double before = 0, value = 0;
  double low = 0,
         high = 0;  // of the fits that leave out an operator; both `value` where there is but one
};

struct Refit {
  TimingParameters parameters;
  std::vector<RefitParameter> fitted;
  std::vector<std::string> kept;  // no row shows them: they stay as they were
  std::vector<RefitError> before, after;
  std::vector<RefitError>
      left_out;  // each row under a fit without its operator; empty where there is but one
};

// What can be fitted.
const std::vector<std::string>& RefitNames();

std::vector<RefitError> ErrorsOf(const std::vector<MeasuredKernel>& rows, const TimingParameters& p,
                                 uint32_t cores);

// From `start`. Deterministic. Takes some hundred replays of every trace.
Refit RefitTo(const std::vector<MeasuredKernel>& rows, const TimingParameters& start,
              uint32_t cores);

record::ErrorSummary SummaryOf(const std::vector<RefitError>& errors);

// The text of a timing file as `text`, with what was fitted in place of its values, and [errors] at
// its end. `source`: what it was fitted to. AK0121: `text` is no timing file.
base::Result<std::string> RefitFile(const std::string& text, const Refit& refit,
                                    const std::string& source);

// Of |relative error|; 0 where there are none.
double QuantileOf(const std::vector<RefitError>& errors, double q);

}  // namespace akgen::sim
