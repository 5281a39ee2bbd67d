// Random kernels as traces: loops over tiles with queues, barriers and meetings, as generated and
// hand-written kernels have them.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/trace/trace.h"

namespace akgen::sim {

// Small, the same everywhere.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint32_t Below(uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return uint32_t(state_ >> 33) % n;
  }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

using Blocks = std::vector<std::vector<TraceEvent>>;

inline TraceEvent EventOf(TraceKind kind, uint32_t pipe, uint64_t address = 0) {
  TraceEvent e;
  e.kind = kind, e.pipe = uint8_t(pipe), e.address = address;
  return e;
}
inline TraceEvent CopyOf(bool out, uint64_t at, uint32_t bytes, uint32_t bursts = 1,
                         int64_t stride = 0) {
  TraceEvent e = EventOf(out ? TraceKind::kCopyOut : TraceKind::kCopyIn,
                         out ? AKGEN_PIPE_MTE3 : AKGEN_PIPE_MTE2, at);
  e.n = bytes, e.bursts = uint16_t(bursts), e.stride = stride;
  return e;
}
inline TraceEvent VectorOf(uint32_t repeats) {
  TraceEvent e = EventOf(TraceKind::kVector, AKGEN_PIPE_V);
  e.op = AKGEN_OP_Add, e.bits = 32, e.n = repeats * 64, e.repeats = repeats;
  return e;
}

inline Trace TraceOf(const Blocks& blocks) {
  Trace t(uint32_t(blocks.size()), 10'000'000);
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (const TraceEvent& e : blocks[b]) t.Add(b, e);
  return t;
}

// What is drawn for a kernel, of all its blocks.
struct KernelShape {
  uint32_t blocks = 1, tiles = 1, buffers = 1, inputs = 1, vectors = 1, repeats = 1, bytes = 32,
           bursts = 1, gap = 0;
  bool shared = false;      // one input is the same for all blocks
  bool barrier = false;     // PIPE_ALL after every tile
  uint32_t meet_every = 0;  // SyncAll after so many tiles
};

inline KernelShape DrawShape(Dice& d) {
  KernelShape s;
  s.blocks = d.OneIn(3) ? 48 : 1 + d.Below(48);
  s.tiles = 1 + d.Below(24);
  s.buffers = 1 + d.Below(2);
  s.inputs = 1 + d.Below(2);
  s.vectors = 1 + d.Below(8);
  s.repeats = 1 + d.Below(128);
  s.bursts = d.OneIn(3) ? 1 + d.Below(64) : 1;
  s.bytes = 32 * (1 + d.Below(s.bursts > 1 ? 32 : 1024));
  s.gap = s.bursts > 1 ? 32 * d.Below(64) : 0;
  s.shared = d.OneIn(4);
  s.barrier = d.OneIn(6);
  s.meet_every = d.OneIn(6) ? 1 + d.Below(8) : 0;
  return s;
}

inline Blocks KernelOf(const KernelShape& s) {
  Blocks out(s.blocks);
  const uint64_t step = uint64_t(s.bytes + s.gap) * s.bursts;
  for (uint32_t b = 0; b < s.blocks; ++b)
    for (uint32_t t = 0; t < s.tiles; ++t) {
      std::vector<TraceEvent>& v = out[b];
      const uint64_t slot = t % s.buffers, at = (uint64_t(b) * s.tiles + t) * step;
      if (t >= s.buffers) v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_MTE2, 100 + slot));
      for (uint32_t i = 0; i < s.inputs; ++i) {
        const uint64_t from = (uint64_t(i + 1) << 33) + (s.shared && i == 0 ? t * step : at);
        v.push_back(CopyOf(false, from, s.bytes, s.bursts, s.bytes + s.gap));
      }
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_MTE2, 200 + slot));
      v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_V, 200 + slot));
      if (t >= s.buffers) v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_V, 300 + slot));
      for (uint32_t i = 0; i < s.vectors; ++i) v.push_back(VectorOf(s.repeats));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_V, 100 + slot));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_V, 400 + slot));
      v.push_back(EventOf(TraceKind::kWait, AKGEN_PIPE_MTE3, 400 + slot));
      v.push_back(CopyOf(true, (uint64_t(9) << 33) + at, s.bytes, s.bursts, s.bytes + s.gap));
      v.push_back(EventOf(TraceKind::kSet, AKGEN_PIPE_MTE3, 300 + slot));
      if (s.barrier) v.push_back(EventOf(TraceKind::kBarrier, AKGEN_PIPE_S));
      if (s.meet_every && t % s.meet_every == 0) {
        v.push_back(EventOf(TraceKind::kBarrier, AKGEN_PIPE_S));
        TraceEvent meet = EventOf(TraceKind::kMeet, AKGEN_PIPE_S);
        meet.n = t, meet.repeats = s.blocks;
        v.push_back(meet);
      }
    }
  return out;
}

}  // namespace akgen::sim
