#include "sim/machine/chip_model.h"

#include "sim/ops/table.h"

namespace akgen::sim {

ChipModel ModelOf(const chip::Chip& chip) {
  ChipModel m;
  m.aiv_cores = uint32_t(chip.aiv), m.aic_cores = uint32_t(chip.aic);
  m.ub_bytes = chip.ub.bytes;
  m.l1_bytes = chip.l1.bytes, m.l0a_bytes = chip.l0a.bytes, m.l0b_bytes = chip.l0b.bytes,
  m.l0c_bytes = chip.l0c.bytes;
  m.bt_bytes = chip.bias_table.bytes, m.fb_bytes = chip.fixpipe_buffer.bytes;
  m.event_ids = uint32_t(chip.limits.event_ids);
  m.arch = GenerationOf(chip.npu_arch);
  return m;
}

}  // namespace akgen::sim
