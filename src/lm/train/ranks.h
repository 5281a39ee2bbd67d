// Data-parallel training in several processes: each computes gradients of its shard of a step's
// samples, an all-reduce sums them (libtorch's process group on Gloo), and each takes the same
// step.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "base/status.h"

namespace akgen::lm {

// Thrown by AllReduce when another process is gone.
struct RankLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Ranks {
 public:
  // From the variables of torchrun and other launchers: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
  // Without WORLD_SIZE this process is alone. Waits up to five minutes for the others. AK1927.
  static base::Result<Ranks> FromEnvironment();

  int64_t rank() const { return rank_; }
  int64_t size() const { return size_; }
  bool first() const { return rank_ == 0; }  // the one that writes files and reports
  // Replaces t, float32 or float64, by its sum over all processes, bit for bit the same in each.
  void AllReduce(at::Tensor& t) const;

 private:
  int64_t rank_ = 0, size_ = 1;
  std::function<void(at::Tensor&)> sum_;  // none: alone
};

}  // namespace akgen::lm
