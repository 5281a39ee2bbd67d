// Baselines without hardware: the least time of a case on the chip, and the time of a framework
// for its reference. Both are modelled, by an estimator that is frozen: its hash accompanies every
// number.
#pragma once
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "record/graph.h"
#include "sim/timing/eager.h"
#include "sim/timing/errors.h"
#include "sim/timing/parameters.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::judge {

struct Baseline {
  double bound_us = 0;  // t_hw: the case's bytes and its reference's arithmetic at full rate,
                        // whichever takes longer
  double eager_us =
      0;  // the kernels that a framework would launch for the reference, launches included
  sim::Range eager_range;   // of eager_us: by its kernels' size classes (docs/timing.md, Ranges)
  int kernels = 0;          // of the eager estimate
  bool from_graph = false;  // false: the reference has no static graph; eager is one kernel
};

// `graph`: nullptr where there is none.
Baseline BaselineOf(const task::CaseDesc& c, const record::Graph* graph,
                    const sim::TimingParameters& p, const sim::EagerTable& table,
                    const chip::Chip& chip, const sim::TimingErrors& errors = {});

// {"bound_us", "baseline_us" (eager), "baseline_range_us" (where it lies), "eager_kernels",
// "eager_from_graph", "estimator"}; kept by content below CacheDir(). Empty where
// data/timing/eager.toml is broken.
base::Json BaselinesOf(task::ReferenceClient& reference, const task::TaskSpec& task,
                       const task::CaseDesc& c, const task::TensorSet& inputs,
                       const sim::TimingParameters& p, const chip::Chip& chip);

// Hash of everything the numbers above depend on beside the case: rules, parameter file, table of
// kernels, chip.
std::string EstimatorHash(const sim::TimingParameters& p, const sim::EagerTable& table,
                          const chip::Chip& chip);

}  // namespace akgen::judge
