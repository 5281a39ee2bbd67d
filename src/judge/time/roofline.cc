#include "judge/time/roofline.h"

#include <fmt/core.h>

#include "sim/trace/trace.h"

namespace akgen::judge {
namespace {
std::string CubeName(int bits) {
  return bits == sim::kHf32Bits ? "Cube, HF32" : fmt::format("Cube, {} bits", bits);
}
}  // namespace

Roofline RooflineOf(const record::LaunchTime& t, const sim::TimingParameters& p,
                    const chip::Chip& chip) {
  Roofline r;
  auto bound = [&](const std::string& name, double amount, double rate) {
    if (rate > 0 && amount / rate > r.bound_us) r.bound_us = amount / rate, r.bound_by = name;
  };
  auto memory = [&](const char* name, double bytes, double rate) {
    if (bytes > 0) r.memories.push_back({name, bytes, rate}), bound(name, bytes, rate);
  };
  auto unit = [&](const std::string& name, double operations, double rate) {
    if (operations > 0) r.units.push_back({name, operations, rate}), bound(name, operations, rate);
  };
  memory("HBM", t.hbm_bytes, p.hbm_rate);
  memory("L2", t.l2_bytes, p.l2_rate);
  const auto& simple = p.vector.at(AKGEN_OP_Add).per_cycle;
  unit("vector, 16 bits", t.elements_16, simple[0] * chip.aiv * p.clock_mhz);
  unit("vector, 32 bits", t.elements_32, simple[1] * chip.aiv * p.clock_mhz);
  for (const auto& [bits, macs] : t.macs)
    unit(CubeName(bits), 2 * macs,
         2.0 * 256 * sim::MmadWidth(uint32_t(bits)) * chip.aic * p.clock_mhz);
  return r;
}

}  // namespace akgen::judge
