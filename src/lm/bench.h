// Tokens per second of this machine, on made-up data: training steps, and sampling at several batch
// sizes.
#pragma once
#include "base/json.h"
#include "base/status.h"

namespace akgen::lm {

// Settings: the shape (as in TrainSettings), vocab, length (tokens of a sample), samples, steps,
// workers, batches. AK1921.
base::Result<base::Json> Bench(const base::Json& settings);

}  // namespace akgen::lm
