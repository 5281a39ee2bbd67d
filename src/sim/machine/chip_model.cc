#include "sim/machine/chip_model.h"

#include "sim/ops/table.h"

namespace akgen::sim {

ChipModel ModelOf(const chip::Chip& chip) {
  return {uint32_t(chip.aiv), chip.ub.bytes, uint32_t(chip.event_ids), GenerationOf(chip.npu_arch)};
}

}  // namespace akgen::sim
