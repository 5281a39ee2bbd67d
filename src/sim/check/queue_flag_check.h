// synccheck: the kernel sets a flag that stands for a tensor of a queue.
#pragma once
#include <optional>

#include "sim/check/announcements.h"

namespace akgen::sim {

struct QueueFlagCheck {
  static std::optional<Remark> On(const FlagCall& c) {
    if (!c.set || !c.held_by_queue) return std::nullopt;
    return Remark{FindingKind::kFlagSetTwice,
                  c.Name() +
                      ", which a queue has set for one of its tensors and not waited for yet: "
                      "ids beside queues come from AllocEventID"};
  }
};

}  // namespace akgen::sim
