// What of a chip the cores ask at every instruction. Sizes in bytes.
#pragma once
#include <cstdint>

#include "chip/chip.h"

namespace akgen::sim {

struct ChipModel {
  uint32_t aiv_cores = 0;
  uint32_t ub_bytes = 0;
  uint32_t event_ids = 0;
  uint16_t arch = 0;  // its generation (sim/ops/table.h); 0: one that has no instructions here
};

ChipModel ModelOf(const chip::Chip& chip);

}  // namespace akgen::sim
