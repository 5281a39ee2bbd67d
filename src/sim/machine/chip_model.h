// What a kernel may count on. Sizes in bytes.
#pragma once
#include <cstdint>

#include "sim/ops/table.h"

namespace akgen::sim {

struct ChipModel {
  uint32_t aiv_cores = 48;
  uint32_t ub_bytes = 196608;
  uint32_t event_ids = 8;
  uint16_t arch = kArch2201;  // its generation (sim/ops/table.h)
};

}  // namespace akgen::sim
