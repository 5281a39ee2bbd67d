// The fields of a chip, listed once for all code that reads or writes them: its data file and the
// message.
#pragma once
#include "chip/chip.h"

namespace akgen::chip {

// Calls one of these for each field, with its path in the data file (table.key):
//   io.Plain(path, value)         a name or a switch
//   io.Number(path, unit, value)  a number of that unit
//   io.Local(path, memory)        a memory of one core
//   io.Rates(path, rates)
// `AnyChip` is Chip or const Chip.
template <class AnyChip, class Io>
void EachField(AnyChip& c, Io& io) {
  io.Plain("name", c.name);
  io.Plain("soc", c.soc);
  io.Plain("family", c.family);
  io.Plain("timing", c.timing);
  io.Plain("npu_arch", c.npu_arch);
  io.Plain("aicore", c.aicore);
  io.Plain("runnable", c.runnable);
  io.Plain("split", c.split);
  io.Number("cores.aic", "cores", c.aic);
  io.Number("cores.aiv", "cores", c.aiv);
  io.Number("cores.clock", "MHz", c.clock_mhz);
  io.Number("cores.system_clock", "MHz", c.system_clock_mhz);
  io.Local("memory.ub", c.ub);
  io.Local("memory.l1", c.l1);
  io.Local("memory.l0a", c.l0a);
  io.Local("memory.l0b", c.l0b);
  io.Local("memory.l0c", c.l0c);
  io.Local("memory.bias_table", c.bias_table);
  io.Local("memory.fixpipe_buffer", c.fixpipe_buffer);
  io.Number("memory.ub_reserved_tail", "B", c.reserved.ub_tail);
  io.Number("memory.l1_reserved_tail", "B", c.reserved.l1_tail);
  io.Number("memory.ub_reserved_api", "B", c.reserved.ub_api);
  io.Number("memory.l2", "B", c.l2_bytes);
  io.Number("memory.gm", "B", c.gm_bytes);
  io.Number("memory.lib_workspace", "B", c.lib_workspace);
  io.Number("memory.gm_align", "B", c.gm_align);
  io.Number("memory.cache_line", "B", c.cache_line);
  io.Number("memory.data_block", "B", c.data_block_bytes);
  io.Number("memory.repeat", "B", c.repeat_bytes);
  io.Number("ub_banks.groups", "groups", c.ub_banks.groups);
  io.Number("ub_banks.per_group", "banks", c.ub_banks.per_group);
  io.Number("ub_banks.bytes", "B", c.ub_banks.bytes);
  io.Number("limits.event_ids", "ids per pair of pipes", c.limits.event_ids);
  io.Number("limits.event_ids_static", "ids per pair of pipes", c.limits.event_ids_static);
  io.Number("limits.cross_core_flags", "ids", c.limits.cross_core_flags);
  io.Number("limits.cross_core_max_sets", "sets", c.limits.cross_core_max_sets);
  io.Number("limits.max_buffers", "buffers per TPipe", c.limits.max_buffers);
  io.Number("limits.max_tensors_per_position", "tensors", c.limits.max_tensors_per_position);
  io.Number("limits.max_repeat", "repeats", c.limits.max_repeat);
  io.Rates("rates", c.rates);
}

}  // namespace akgen::chip
