#include "sim/exec/unit_flags.h"

#include <algorithm>

#include "sim/cube/moves.h"

namespace akgen::sim {
namespace {
using namespace cube;
constexpr uint32_t kUnit = 512;

bool UsesUnits(const AkgenCube& c) {
  const uint32_t unit = c.op == AKGEN_CUBE_MMAD      ? c.n[AKGEN_MMAD_UNIT_FLAG]
                        : c.op == AKGEN_CUBE_FIXPIPE ? c.n[AKGEN_FIX_UNIT_FLAG]
                                                     : 0;
  return unit == 2 || unit == 3;  // other values are a finding when it runs
}
}  // namespace

void UnitFlags::Reset() {
  units_.clear();
  site_ = 0;
  for (Flag& f : changed_) f = Flag();
  computed_ = taken_ = Clock();
}

UnitFlags::Units UnitFlags::UnitsOf(const AkgenCube& c) const {
  if (!UsesUnits(c)) return {};
  const Memory& l0c = memories_[MemoryId::L0C];
  const bool mmad = c.op == AKGEN_CUBE_MMAD;
  const void* at = mmad ? c.dst : c.src;
  if (!l0c.Holds(at)) return {};
  Units u;
  u.first = l0c.OffsetOf(at) / kUnit;
  const uint32_t m = mmad ? c.n[AKGEN_MMAD_M] : c.n[AKGEN_FIX_M],
                 n = mmad ? c.n[AKGEN_MMAD_N] : c.n[AKGEN_FIX_N];
  u.count = 2 * Ceil(m, kSide), u.pieces = Ceil(n, kSide);
  u.step = mmad ? u.count : Ceil(c.n[AKGEN_FIX_SRC_STRIDE] * 64, kUnit);
  const uint64_t all = l0c.bytes() / kUnit;
  if (!u.pieces || u.first + uint64_t(u.pieces - 1) * u.step + u.count > all) return {};
  return u;
}

bool UnitFlags::Fit(const PipeWork& work) const {
  const auto* op = std::get_if<CubeOp>(&work);
  if (!op || units_.empty()) return !op || op->it->op != AKGEN_CUBE_FIXPIPE || !UsesUnits(*op->it);
  const Units u = UnitsOf(*op->it);
  const uint8_t wanted = op->it->op == AKGEN_CUBE_FIXPIPE;
  for (uint32_t p = 0; p < u.pieces; ++p)
    for (uint32_t i = 0; i < u.count; ++i)
      if (units_[u.first + p * u.step + i] != wanted) return false;
  return true;
}

void UnitFlags::Block(uint32_t pipe, uint32_t site) {
  const bool mmad = pipe == AKGEN_PIPE_M;
  pipes_.Block(
      pipe,
      {&changed_[mmad ? 0 : 1], uint32_t(mmad ? AKGEN_PIPE_FIX : AKGEN_PIPE_M), pipe, kOfUnits},
      site);
}

void UnitFlags::Take(const AkgenCube& c) {
  if (!UsesUnits(c)) return;
  const bool mmad = c.op == AKGEN_CUBE_MMAD;
  pipes_[now_.pipe].clock.Join(mmad ? taken_ : computed_);
}

void UnitFlags::Leave(const AkgenCube& c) {
  constexpr uint32_t kFlips = 3;
  const bool mmad = c.op == AKGEN_CUBE_MMAD;
  if (!UsesUnits(c) ||
      c.n[mmad ? uint32_t(AKGEN_MMAD_UNIT_FLAG) : uint32_t(AKGEN_FIX_UNIT_FLAG)] != kFlips)
    return;
  const Units u = UnitsOf(c);
  if (units_.empty()) units_.resize(memories_[MemoryId::L0C].bytes() / kUnit);
  for (uint32_t p = 0; p < u.pieces; ++p)
    std::fill_n(units_.begin() + u.first + p * u.step, u.count, uint8_t(mmad));
  Clock done = pipes_[now_.pipe].clock;
  done.at[now_.pipe] = pipes_[now_.pipe].latest;
  (mmad ? computed_ : taken_).Join(done);
  if (mmad) site_ = now_.site;
}

void UnitFlags::Clear() { std::fill(units_.begin(), units_.end(), 0); }

bool UnitFlags::AnySet() const {
  return std::find(units_.begin(), units_.end(), 1) != units_.end();
}

}  // namespace akgen::sim
