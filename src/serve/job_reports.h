// Who is told that a job has ended: its callers, the metrics, the log, the history.
#pragma once
#include <functional>
#include <vector>

#include "serve/history.h"
#include "serve/job_index.h"
#include "serve/metrics.h"

namespace akgen::serve {

// Bounds of what takes seconds, for histograms.
inline const std::vector<double> kSecondsBounds{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                                2.5,  5,     10,   30,  60,   120, 300};

class JobReports {
 public:
  // `log`: one event each; empty: none is kept.
  JobReports(Metrics& metrics, History& history, std::function<void(const base::Json&)> log);

  void Tell(EndedJob&& ended);

 private:
  Metrics& metrics_;
  History& history_;
  const std::function<void(const base::Json&)> log_;
};

}  // namespace akgen::serve
