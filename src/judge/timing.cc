#include "judge/timing.h"

#include "sim/timing/parameters.h"

namespace akgen::judge {

base::Result<base::Json> TimingRequest(const chip::Chip& chip, uint32_t span_cores) {
  auto p = sim::LoadTiming("a2");
  if (!p.ok()) return p.error();
  p->clock_mhz = chip.clock_mhz;
  if (chip.l2_bytes) p->l2_bytes = double(chip.l2_bytes);
  return base::Json{{"parameters", sim::ToJson(*p)}, {"span_cores", span_cores}};
}

}  // namespace akgen::judge
