// synccheck: flags of a Vector core between pipes of which it lacks one. A Cube core's part of a
// kernel leaves out what is of the Vector core, in a launch of Cube cores alone too, and in a mixed
// one each leaves out the other's: there nothing is said.
#pragma once
#include <optional>
#include <string>

#include "sim/check/announcements.h"

namespace akgen::sim {

struct PipePairCheck {
  static std::optional<Remark> On(const FlagCall& c) {
    if (c.mixed || c.cube) return std::nullopt;
    for (uint32_t pipe : {c.src, c.dst})
      if (pipe == AKGEN_PIPE_M || pipe == AKGEN_PIPE_MTE1 || pipe == AKGEN_PIPE_FIX)
        return Remark{FindingKind::kNoSuchPipe,
                      c.Name() + " on a Vector core, which has no pipe " + PipeName(pipe)};
    return std::nullopt;
  }
};

}  // namespace akgen::sim
