// Training runs as curves: what `akgen lm train` and `akgen lm reinforce` write to metrics.jsonl, several runs in one
// drawing.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace akgen::report {

// Whether the file's first line is one of such a run.
bool IsTraining(const std::filesystem::path& file);
// {"runs": [{"name", "steps", "tokens", "minutes", "tokens_per_s", "loss_first", "loss_last", "validation_best",
// "validation_last", "series": {"loss": [[step, value]…], "validation_loss", "reward", "lr", "grad_norm",
// "tokens_per_s", "mfu"}}…]}: losses at the ends are means of up to 20 steps, tokens_per_s is the median, a series has
// at most 400 points (means of the steps between). A last line that is still being written is left out. AK0610 another
// line is no step.
base::Result<base::Json> TrainingFrom(const std::vector<std::string>& files);
std::string TrainingHtml(const base::Json& model, const std::string& title);
std::string TrainingMarkdown(const base::Json& model);

}  // namespace akgen::report
