#include "sim/timing/refit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/timing/descend.h"

namespace akgen::sim {
namespace {
using base::Json;

// A parameter is shown by a row whose time changes by kShown when it becomes kNudge times as large.
constexpr double kNudge = 1.2, kShown = 0.02;

RefitError ErrorOf(const std::vector<MeasuredKernel>& rows, size_t r, const TimingParameters& p,
                   uint32_t cores) {
  ReplayOptions options;
  options.cores = cores;
  const ModelledTime time = Replay(*rows[r].trace, p, options);
  return {r, RegimeOf(time, p), rows[r].measured,
          std::max(1e-9, rows[r].core ? time.core_us : time.us)};
}

// Squares of logarithms, so that a rate twice too high counts as one twice too low; an outlier
// pulls with a constant force, however far off it is.
double LossOfErrors(const std::vector<RefitError>& errors) {
  double sum = 0;
  for (const RefitError& e : errors) {
    const double d = std::fabs(std::log(e.modelled / e.measured));
    sum += d < 0.3 ? d * d : 0.3 * (2 * d - 0.3);
  }
  return sum;
}

struct Shown {
  std::vector<std::string> names;
  std::vector<std::vector<bool>> by;  // by name, by row
};

Shown WhatRowsShow(const std::vector<MeasuredKernel>& rows, const TimingParameters& start,
                   uint32_t cores) {
  Shown out;
  const std::vector<RefitError> now = ErrorsOf(rows, start, cores);
  for (const std::string& name : RefitNames()) {
    Json nudged = ToJson(start);
    NumberAt(nudged, name) *= kNudge;
    const std::vector<RefitError> then = ErrorsOf(rows, TimingFromJson(nudged), cores);
    std::vector<bool> moved(rows.size());
    bool shown = false;
    for (size_t r = 0; r < rows.size(); ++r) {
      const double change = std::fabs(then[r].modelled / now[r].modelled - 1);
      moved[r] = change > 1e-4, shown |= change > kShown;
    }
    if (shown) out.names.push_back(name), out.by.push_back(std::move(moved));
  }
  return out;
}

// Without the rows of a group. `steps` as in Descend.
TimingParameters FitTo(const std::vector<MeasuredKernel>& rows, const Shown& shown,
                       const TimingParameters& from, uint32_t cores,
                       const std::vector<double>& steps, const std::string* without = nullptr) {
  std::vector<RefitError> errors;
  for (size_t r = 0; r < rows.size(); ++r)
    if (!without || rows[r].group != *without) errors.push_back(ErrorOf(rows, r, from, cores));
  double loss = LossOfErrors(errors);
  return TimingFromJson(
      Descend(ToJson(from), shown.names, steps, [&](const Json& trial, size_t name) {
        std::vector<RefitError> next = errors;
        const TimingParameters p = TimingFromJson(trial);
        for (RefitError& e : next)
          if (shown.by[name][e.row]) e = ErrorOf(rows, e.row, p, cores);
        const double l = LossOfErrors(next);
        if (l >= loss - 1e-12) return false;
        loss = l, errors = std::move(next);
        return true;
      }));
}
}  // namespace

const std::vector<std::string>& RefitNames() {
  static const std::vector<std::string> kNames{"clock_mhz", "launch_us",   "launch_core_us",
                                               "hbm_rate",  "write_share", "l2_rate"};
  return kNames;
}

std::vector<RefitError> ErrorsOf(const std::vector<MeasuredKernel>& rows, const TimingParameters& p,
                                 uint32_t cores) {
  std::vector<RefitError> out;
  for (size_t r = 0; r < rows.size(); ++r) out.push_back(ErrorOf(rows, r, p, cores));
  return out;
}

Refit RefitTo(const std::vector<MeasuredKernel>& rows, const TimingParameters& start,
              uint32_t cores) {
  const Shown shown = WhatRowsShow(rows, start, cores);
  Refit out;
  out.parameters =
      FitTo(rows, shown, start, cores,
            {0.3, 0.3, 0.1, 0.1, 0.03, 0.03, 0.03, 0.03, 0.03, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01});
  const Json before = ToJson(start), now = ToJson(out.parameters);
  for (const std::string& name : RefitNames())
    if (std::find(shown.names.begin(), shown.names.end(), name) == shown.names.end())
      out.kept.push_back(name);
  for (const std::string& name : shown.names)
    out.fitted.push_back({name, before[name], now[name], now[name], now[name]});
  out.before = ErrorsOf(rows, start, cores), out.after = ErrorsOf(rows, out.parameters, cores);
  std::set<std::string> groups;
  for (const MeasuredKernel& row : rows) groups.insert(row.group);
  if (groups.size() < 2) return out;
  for (const std::string& group : groups) {
    const TimingParameters p = FitTo(rows, shown, out.parameters, cores, {0.1, 0.03, 0.01}, &group);
    const Json values = ToJson(p);
    for (RefitParameter& f : out.fitted) {
      f.low = std::min(f.low, values[f.name].get<double>());
      f.high = std::max(f.high, values[f.name].get<double>());
    }
    for (size_t r = 0; r < rows.size(); ++r)
      if (rows[r].group == group) out.left_out.push_back(ErrorOf(rows, r, p, cores));
  }
  return out;
}

double QuantileOf(const std::vector<RefitError>& errors, double q) {
  std::vector<double> a;
  for (const RefitError& e : errors) a.push_back(std::fabs(e.Relative()));
  std::sort(a.begin(), a.end());
  return a.empty() ? 0 : a[std::min(a.size() - 1, size_t(q * double(a.size())))];
}

}  // namespace akgen::sim
