#include "sim/machine/positions.h"

namespace akgen::sim {
namespace {
constexpr PositionRow kPositions[] = {
#define AKGEN_POSITION(name, memory, fills, drains) \
  {#name, MemoryId::memory, AKGEN_PIPE_##fills, AKGEN_PIPE_##drains},
#include "akgen/positions.inc"
#undef AKGEN_POSITION
};
}  // namespace

const PositionRow* RowOfPosition(uint32_t position) {
  return position < AKGEN_POS_MAX ? &kPositions[position] : nullptr;
}

uint32_t ProducerOf(uint32_t src) {
  const PositionRow* row = RowOfPosition(src);
  return row ? row->filled_by : uint32_t(AKGEN_PIPE_MTE2);
}

uint32_t ConsumerOf(uint32_t dst) {
  const PositionRow* row = RowOfPosition(dst);
  return row ? row->drained_by : uint32_t(AKGEN_PIPE_V);
}

}  // namespace akgen::sim
