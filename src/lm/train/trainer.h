// A training run in a folder: state.safetensors (to resume), metrics.jsonl (one line per step),
// model/ (a Hugging Face checkpoint with tokenizer, written with every state).
#pragma once
#include <filesystem>
#include <functional>

#include "base/json.h"
#include "base/status.h"
#include "lm/train/settings.h"

namespace akgen::lm {

struct TrainReport {
  int64_t step = 0, steps = 0;
  double loss = 0, lr = 0, norm = 0, tokens_per_second = 0,
         validation = -1;   // validation loss, -1: not measured
  double mfu = 0;           // share of peak_tflops, 0: not asked for
  double reward = 0;        // grpo: mean of the step
  double seconds_left = 0;  // if steps go on taking as long
};
// grpo: one completion and the line of data it answers. A reward that is not finite leaves its
// completion out.
struct Rollout {
  std::string source, text, finish;
};
using RewardFn = std::function<base::Result<std::vector<double>>(const std::vector<Rollout>&)>;
using OnStep = std::function<void(const TrainReport&)>;

// AK1921 settings, AK1920 data, AK1922 the loss is not finite (the state before it is kept), AK1923
// memory, AK1925 libtorch, AK1926 rewards, AK1924 the folder holds another run, or one while
// `resume` is off, AK1927 the processes that train together (ranks.h; only the first writes and
// reports).
base::Status Train(const TrainSettings& settings, const std::filesystem::path& out, bool resume,
                   const OnStep& on_step, const RewardFn& reward = nullptr);

}  // namespace akgen::lm
