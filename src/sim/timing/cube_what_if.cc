#include "sim/timing/cube_what_if.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace akgen::sim {
namespace {
// Who sets a flag.
std::map<uint64_t, uint8_t> SettersOf(const Trace& t) {
  std::map<uint64_t, uint8_t> out;
  for (const TraceEvent& e : t.shapes())
    if (e.kind == TraceKind::kSet) out[e.address] = e.pipe;
  return out;
}

// The flags of pipe `from` that pipe `to` waits for, of one Cube core.
std::set<uint64_t> FlagsBetween(const Trace& t, uint8_t from, uint8_t to) {
  const auto setters = SettersOf(t);
  std::set<uint64_t> out;
  for (const TraceEvent& e : t.blocks()[0])
    if (auto s = setters.find(e.address);
        e.kind == TraceKind::kWait && e.pipe == to && s != setters.end() && s->second == from)
      out.insert(e.address);
  return out;
}

std::optional<uint32_t> PlaceOf(const Trace& t, TraceKind kind, uint8_t pipe) {
  for (const TraceEvent& e : t.blocks()[0])
    if (e.kind == kind && e.pipe == pipe) return e.site;
  return std::nullopt;
}

// One flag for each of so many operands at most: none has a second buffer.
std::optional<uint32_t> Single(const Trace& t, uint8_t from, uint8_t to, size_t operands,
                               TraceKind kind) {
  const size_t flags = FlagsBetween(t, from, to).size();
  return flags >= 1 && flags <= operands ? PlaceOf(t, kind, to) : std::nullopt;
}

Trace Changed(const Trace& t, const std::function<bool(uint32_t block, TraceEvent& e)>& keep) {
  Trace out(t.block_count(), SIZE_MAX);
  out.CopyUse(t);
  for (uint32_t b = 0; b < t.block_count(); ++b)
    for (TraceEvent e : t.blocks()[b])
      if (keep(b, e)) out.Add(b, e);
  return out;
}
}  // namespace

std::optional<uint32_t> SingleL0(const Trace& t) {
  return Single(t, AKGEN_PIPE_M, AKGEN_PIPE_MTE1, 1, TraceKind::kLoad);
}
std::optional<uint32_t> SingleL1(const Trace& t) {
  return Single(t, AKGEN_PIPE_MTE1, AKGEN_PIPE_MTE2, 2, TraceKind::kCopyIn);
}

std::optional<uint32_t> SmallBlocks(const Trace& t) {
  constexpr double kLarge = 512;  // fractal products of 128 x 256 x 64 of half
  double products = 0, mmads = 0;
  for (const TraceEvent& e : t.blocks()[0])
    if (e.kind == TraceKind::kMmad) products += e.n, mmads += 1;
  if (mmads == 0 || products >= kLarge * mmads) return std::nullopt;
  return PlaceOf(t, TraceKind::kMmad, AKGEN_PIPE_M);
}

Trace OneMoreBuffer(const Trace& t, uint8_t from, uint8_t to) {
  const auto setters = SettersOf(t);
  std::set<std::pair<uint32_t, uint64_t>> given;
  return Changed(t, [&](uint32_t block, TraceEvent& e) {
    const auto setter = setters.find(e.address);
    const bool gives = e.kind == TraceKind::kWait && e.pipe == to && setter != setters.end() &&
                       setter->second == from;
    return !gives || !given.insert({block, e.address}).second;
  });
}

Trace LargerBlocks(const Trace& t) {
  return Changed(t, [](uint32_t, TraceEvent& e) {
    if (e.kind == TraceKind::kLoad && LoadTo(e.repeats) <= LoadTo::kL0B) e.n -= e.n / 4;
    if (e.kind == TraceKind::kCopyIn && e.op == 1 && e.bursts >= 4)
      e.bursts = uint16_t(e.bursts - e.bursts / 4);
    return true;
  });
}

}  // namespace akgen::sim
