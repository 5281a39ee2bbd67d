// TPosition numbers, and the memories they lie in, shared by kernel headers and the chip. Source:
// the TPosition enumeration order of Ascend C.
#ifndef AKGEN_POSITIONS_H
#define AKGEN_POSITIONS_H
enum AkgenPosition {
#define AKGEN_POSITION(name, ...) AKGEN_POS_##name,
#include "akgen/positions.inc"
#undef AKGEN_POSITION
  AKGEN_POS_MAX
};
enum AkgenMemory {
#define AKGEN_MEMORY(name, ...) AKGEN_MEM_##name,
#include "akgen/memories.inc"
#undef AKGEN_MEMORY
  AKGEN_MEM_COUNT
};
#endif
