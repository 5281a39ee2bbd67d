// Processes that train one model together: each computes gradients of its share of a step's samples, the sums are taken
// over all of them (libtorch's process group on Gloo), and each makes the same step.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "base/status.h"

namespace akgen::lm {

// Thrown by Sum when another process is gone.
struct RankLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Ranks {
 public:
  // As torchrun and other launchers say it: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT. Without WORLD_SIZE this process
  // is alone. Waits up to five minutes for the others. AK1927.
  static base::Result<Ranks> FromEnvironment();

  int64_t rank() const { return rank_; }
  int64_t size() const { return size_; }
  bool first() const { return rank_ == 0; }  // the one that writes files and tells
  // Puts the sum over all processes into t, float32 or float64, the same to the last digit in each.
  void Sum(at::Tensor& t) const;

 private:
  int64_t rank_ = 0, size_ = 1;
  std::function<void(at::Tensor&)> sum_;  // none: alone
};

}  // namespace akgen::lm
