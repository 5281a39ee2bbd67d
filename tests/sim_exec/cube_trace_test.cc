// What the Cube core's instructions move and compute, as records of a trace: drawn instructions of
// each kind, beside golden/cube_trace.txt.
#include "sim/exec/cube_trace.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "../golden.h"
#include "../sim_timing/random_trace.h"
#include "base/hash.h"

namespace akgen::sim {
namespace {
std::string Said(const TraceEvent& e) {
  return fmt::format(" {}:{} op {} bits {} n {} bursts {} repeats {} at {:x} stride {}",
                     NameOf(e.kind), e.pipe, e.op, e.bits, e.n, e.bursts, e.repeats, e.address,
                     e.stride);
}

AkgenCube Drawn(uint32_t op, Dice& d) {
  const uint8_t types[] = {AKGEN_F16, AKGEN_BF16, AKGEN_F32, AKGEN_I8, AKGEN_I32, AKGEN_I4};
  AkgenCube c{};
  c.op = uint8_t(op);
  c.dst_type = types[d.Below(std::size(types))], c.src_type = types[d.Below(std::size(types))];
  c.src1_type = c.src_type;
  c.dst_position = uint8_t(d.Below(16)), c.src_position = uint8_t(d.Below(16));
  for (uint32_t& n : c.n) n = d.OneIn(4) ? d.Below(2) : 1 + d.Below(d.OneIn(5) ? 300 : 20);
  c.dst = reinterpret_cast<void*>(uintptr_t{0x10000} + 512 * d.Below(8));
  c.src = reinterpret_cast<void*>(uintptr_t{0x20000} + 512 * d.Below(8));
  c.registers[AKGEN_CUBE_REG_FMATRIX] = uint64_t(1 + d.Below(30)) << 16 | (1 + d.Below(30));
  c.registers[AKGEN_CUBE_REG_HF32] = d.Below(2);
  c.registers[AKGEN_CUBE_REG_ND] =
      uint64_t(d.Below(5)) | uint64_t(d.Below(99)) << 16 | uint64_t(d.Below(4096)) << 32;
  return c;
}

TEST(CubeTrace, DrawnInstructions) {
  std::string said;
  for (uint32_t op = 0; op < AKGEN_CUBE_OP_COUNT; ++op) {
    std::string rest;
    for (uint64_t seed = 0; seed < 400; ++seed) {
      Dice d(op * 1000 + seed);
      std::string one;
      CubeEvents(Drawn(op, d), seed % 3, [&](const TraceEvent& e) { one += Said(e) + "\n"; });
      if (seed < 12)
        said += fmt::format("{} {}:{}", op, seed, one.empty() ? " nothing\n" : one);
      else
        rest += one + "\n";
    }
    said += fmt::format("{} and others: {}\n", op, base::Sha256(rest).substr(0, 16));
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "cube_trace.txt", said);
}

TEST(CubeTrace, UnitFlagsAsFlags) {
  std::string said;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Dice d(seed);
    UnitOrder order;
    said += fmt::format("{}:", seed);
    for (int i = 0; i < 24; ++i) {
      AkgenCube c{};
      const bool product = d.OneIn(2);
      c.op = product ? AKGEN_CUBE_MMAD : AKGEN_CUBE_FIXPIPE;
      c.n[product ? int(AKGEN_MMAD_UNIT_FLAG) : int(AKGEN_FIX_UNIT_FLAG)] =
          d.OneIn(4) ? d.Below(3) : 3;
      for (const auto field : {product ? int(AKGEN_MMAD_M) : int(AKGEN_FIX_M),
                               product ? int(AKGEN_MMAD_N) : int(AKGEN_FIX_N)})
        c.n[field] = 1 + d.Below(33);
      void* at = reinterpret_cast<void*>(uintptr_t{0x1000} + 1024 * d.Below(4));
      if (product)
        c.dst = at;
      else
        c.src = at;
      said += product ? " M" : " F";
      order.Before(c, [&](const TraceEvent& e) {
        said += fmt::format("{}{}", e.kind == TraceKind::kSet ? "s" : "w", e.address & 1);
      });
    }
    said += "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "cube_unit_flags.txt", said);
}
}  // namespace
}  // namespace akgen::sim
