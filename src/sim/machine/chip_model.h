// What of a chip the cores ask at every instruction. Sizes in bytes.
#pragma once
#include <cstdint>

#include "chip/chip.h"

namespace akgen::sim {

struct ChipModel {
  uint32_t aiv_cores = 0, aic_cores = 0;
  uint32_t ub_bytes = 0;
  uint32_t l1_bytes = 0, l0a_bytes = 0, l0b_bytes = 0, l0c_bytes = 0, bt_bytes = 0, fb_bytes = 0;
  uint32_t event_ids = 0;
  uint16_t arch = 0;  // its generation (sim/ops/table.h); 0: one that has no instructions here
};

// The two types of core of a split chip.
enum class CoreKind : uint8_t { kVector, kCube };

// What each block of a launch starts: so many cores of either type.
struct BlockCores {
  uint32_t cube = 0, vector = 1;
  uint32_t all() const { return cube + vector; }
  bool mixed() const { return cube && vector; }
};

ChipModel ModelOf(const chip::Chip& chip);

}  // namespace akgen::sim
