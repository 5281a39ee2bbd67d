// What the runner's tests ask for, and what they take from the answer.
#pragma once
#include <string>
#include <utility>

#include "base/json.h"
#include "chip/chip.h"
#include "sim/launch/run_messages.h"

namespace akgen::runner {

// A kernel of x, y, workspace and tiling; x and y of so many bytes.
inline sim::RunRequest XToY(const std::string& entry, size_t bytes, uint32_t blocks) {
  using Argument = sim::RunArgument;
  static const chip::Chip chip = *chip::LoadChip();
  sim::RunRequest run;
  run.entry = entry;
  run.regions = {{"x", sim::Role::kInput, 0, bytes, 0}, {"y", sim::Role::kOutput, 0, bytes, 0}};
  run.args = {{Argument::kRegion, {0}, {}},
              {Argument::kRegion, {1}, {}},
              {Argument::kWorkspace, {}, {}},
              {Argument::kTiling, {}, {}}};
  run.blocks = blocks;
  run.chip = chip;
  return run;
}

// The reply to the only run of a request, and what the runner says of its process.
inline base::Json OfOne(base::Json answer) {
  if (!answer.contains("answers")) return answer;
  base::Json one = std::move(answer["answers"].at(0));
  for (const char* key : {"process", "console"})
    if (answer.contains(key)) one[key] = answer[key];
  return one;
}

}  // namespace akgen::runner
