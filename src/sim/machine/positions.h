// The queue positions (TPosition) of a core: where their tensors lie and which pipes a queue
// orders.
#pragma once
#include <cstdint>

#include "akgen/positions.h"
#include "sim/machine/memory.h"

namespace akgen::sim {

struct PositionRow {
  const char* name;
  MemoryId memory;
  uint32_t filled_by, drained_by;  // AkgenPipe
};

// nullptr: there is no such position.
const PositionRow* RowOfPosition(uint32_t position);

// The pipe that makes what a queue from position `src` hands over, and the one that takes it at
// position `dst`.
uint32_t ProducerOf(uint32_t src);
uint32_t ConsumerOf(uint32_t dst);

}  // namespace akgen::sim
