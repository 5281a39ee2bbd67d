// Training runs as curves: what `akgen lm train` and `akgen lm reinforce` write to metrics.jsonl,
// several runs in one drawing.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace akgen::report {

// Whether the file's first line is one of such a run.
bool IsTraining(const std::filesystem::path& file);

// One training run. Losses at the ends are means of up to 20 steps, the rate of tokens is the
// median.
struct TrainingRun {
  using Points = std::vector<std::pair<double, double>>;  // step, value
  std::string name;
  double steps = 0, tokens = 0, minutes = 0;
  std::optional<double> tokens_per_s;
  double loss_first = 0, loss_last = 0;
  std::optional<double> validation_best, validation_last;
  // By the name of what metrics.jsonl says: "loss", "validation_loss", "reward", "lr", "grad_norm",
  // "tokens_per_s", "mfu". At most 400 points, means of the steps between.
  std::map<std::string, Points> series;
};

// A last line that is still being written is left out. AK0610 another line is no step.
base::Result<std::vector<TrainingRun>> TrainingFrom(const std::vector<std::string>& files);
// {"runs": [{"name", "steps", "tokens", "minutes", "tokens_per_s", "loss_first", "loss_last",
// "validation_best", "validation_last", "series": {name: [[step, value]…]}}…]}
base::Json ToJson(const std::vector<TrainingRun>& runs);
std::string TrainingHtml(const std::vector<TrainingRun>& runs, const std::string& title);
std::string TrainingMarkdown(const std::vector<TrainingRun>& runs);

}  // namespace akgen::report
