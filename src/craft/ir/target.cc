#include "craft/ir/target.h"

#include <cmath>

#include "chip/timing_file.h"

namespace akgen::craft {
namespace {
// Cycles of the clock that the file's rates were measured at: a chip of the same family has the
// same ratios.
base::Result<Costs> CostsOf(const std::string& timing, const std::string& where) {
  auto file = chip::LoadTimingFile(timing);
  if (!file.ok()) return file.error();
  std::string missing;
  auto of = [&](const char* name) {
    auto it = file->parameters.find(name);
    if (it != file->parameters.end() && it->second > 0) return it->second;
    missing = name;
    return 1.0;
  };
  const double mhz = of("clock_mhz");
  Costs c;
  c.launch_core = std::lround(of("launch_core_us") * mhz);
  c.copy_latency = std::lround(of("mte2_latency"));
  c.copy_least = std::lround(of("mte2_floor"));
  c.in_rate = int64_t(of("mte2_rate"));
  c.out_rate = int64_t(of("mte3_rate"));
  c.shared_in = int64_t(of("hbm_rate") / mhz);
  c.shared_out = int64_t(of("l2_rate") / mhz);  // a write ends when L2 has it
  c.vector_head = std::lround(of("vector_head"));
  c.sync_all = std::lround(of("sync_all"));
  if (!missing.empty()) return chip::BrokenTiming(where, missing, "is missing or 0");
  return c;
}

base::Result<CubeCosts> CubeCostsOf(const std::string& timing, const std::string& where) {
  auto file = chip::LoadTimingFile(timing);
  if (!file.ok()) return file.error();
  std::string missing;
  auto of = [&](const char* name) {
    auto it = file->parameters.find(name);
    if (it != file->parameters.end() && it->second > 0) return it->second;
    missing = name;
    return 1.0;
  };
  CubeCosts c;
  c.in_rate = of("l2_core_rate");
  c.row = of("l1_row");
  c.left_rate = of("l0a_rate");
  c.right_rate = of("l0b_rate");
  c.load_head = of("image_head");
  c.product_gap = of("mmad_gap");
  c.out_rate = of("fix_gm_rate");
  c.shared_in = of("l2_rate") / of("clock_mhz") / of("l1_share");
  if (!missing.empty()) return chip::BrokenTiming(where, missing, "is missing or 0");
  return c;
}
}  // namespace

base::Result<Target> TargetOf(const chip::Chip& chip) {
  if (chip.timing.empty())
    return base::Error{"AK0121", "no timing model stands for the chip " + chip.name,
                       "data/chips/" + chip.name + ".toml",
                       "name a file of data/timing: timing = \"…\""};
  auto costs = CostsOf(chip.timing, "data/timing/" + chip.timing + ".toml");
  if (!costs.ok()) return costs.error();
  auto cube = CubeCostsOf(chip.timing, "data/timing/" + chip.timing + ".toml");
  if (!cube.ok()) return cube.error();
  return Target{chip.aiv,
                int64_t(chip.UsableUb()) - kUbReserve,
                chip.limits.event_ids,
                chip.ub.align,
                *costs,
                chip.aic,
                int64_t(chip.UsableL1()),
                int64_t(chip.l0a.bytes),
                int64_t(chip.l0b.bytes),
                int64_t(chip.l0c.bytes),
                *cube};
}

base::Result<Target> LoadTarget(std::string_view name) {
  auto chip = chip::LoadChip(name);
  if (!chip.ok()) return chip.error();
  return TargetOf(*chip);
}

}  // namespace akgen::craft
