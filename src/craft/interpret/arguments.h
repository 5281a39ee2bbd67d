// One case of a program as text: `x=f32[4, 8] gamma=f16[8]{0, 1} xs=f32[3]+f32[5] w=none eps=1e-5
// dims=0,1`. A tensor is its dtype and shape; then, if wanted, {low, high} for the range its
// elements are drawn from, `!` for infinities, NaN, zeros of both signs and the like among them, or
// @FILE for raw elements in memory order. An output that the caller shapes is named like an input:
// its dtype and shape.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "craft/interpret/interpret.h"

namespace akgen::craft {

struct Case {
  size_t column = 0;  // of dtypes: the first one that has those of the tensors
  Arguments args;
};

// Elements that no file gives are drawn from `seed`: floats from [-4, 4), integers from [-8, 8],
// unsigned from [0, 15]. AK1532: the text is malformed, names what the program does not take, or
// leaves out what it needs.
base::Result<Case> ParseCase(const std::vector<ir::Program>& programs, const std::string& text,
                             uint64_t seed);

// The cases a program brings along: its comments `# try: x=f32[4, 8] …`, in order.
std::vector<std::string> TryLines(const std::string& source);

}  // namespace akgen::craft
