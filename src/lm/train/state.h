// The complete state of a training run, so that it resumes as if it had not been stopped, in one
// file that is replaced atomically.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

#include "base/json.h"
#include "base/status.h"

namespace akgen::lm {

struct TrainState {
  at::Tensor flat, first,
      second;  // what is trained (the weights, or an adapter's) and its moments, float32 on the
               // processor
  int64_t step = 0;             // steps done
  int64_t epoch = 0, next = 0;  // the next sample: its place in the epoch's order
  base::Json settings;          // of the run, with the number of workers it really had
};

base::Status SaveState(const TrainState& state, const std::filesystem::path& file);
// AK1924: the state is not of a model with `size` weights. AK1901: damaged.
base::Result<TrainState> LoadState(const std::filesystem::path& file, int64_t size);

}  // namespace akgen::lm
