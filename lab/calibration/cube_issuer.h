// Writes what the cores of a kernel issue into its trace, as the chip would. For the kernels of
// this folder.
#pragma once
#include <algorithm>
#include <cstdint>

#include "akgen/positions.h"
#include "cube_kernels.h"
#include "sim/exec/cube_trace.h"

namespace akgen::calibration {

inline constexpr uint32_t kCubeCores = 24;
inline constexpr uint64_t kA = uint64_t{1} << 40, kB = uint64_t{2} << 40, kC = uint64_t{3} << 40,
                          kWorkspace = uint64_t{4} << 40;  // apart in GM

inline uint32_t Up(uint64_t n, uint32_t unit) { return uint32_t((n + unit - 1) / unit * unit); }

// Writes what one Cube core issues.
class Issuer {
 public:
  Issuer(sim::Trace& trace, uint32_t core) : trace_(trace), core_(core) {}
  void Flag(sim::TraceKind kind, uint32_t from, uint32_t to, uint32_t id) {
    sim::TraceEvent e;
    e.kind = kind, e.pipe = uint8_t(kind == sim::TraceKind::kSet ? from : to);
    e.address = uint64_t{1} << 50 | from << 16 | to << 8 | id;
    trace_.Add(core_, e);
  }
  void Set(uint32_t from, uint32_t to, uint32_t id = 0) {
    Flag(sim::TraceKind::kSet, from, to, id);
  }
  void Wait(uint32_t from, uint32_t to, uint32_t id = 0) {
    Flag(sim::TraceKind::kWait, from, to, id);
  }
  void Issue(const AkgenCube& c, uint32_t pipe) {
    auto add = [&](const sim::TraceEvent& e) { trace_.Add(core_, e); };
    units_.Before(c, add);
    sim::CubeEvents(c, pipe, add);
  }
  // Rows of a matrix into L1.
  void Nd2Nz(uint64_t from, Element type, uint32_t rows, uint32_t columns, uint64_t pitch) {
    AkgenCube c{};
    c.op = AKGEN_CUBE_ND2NZ;
    c.src = reinterpret_cast<const void*>(from);  // NOLINT
    c.src_type = Code(type);
    const uint32_t share = type == Element::int4 ? 2 : 1;  // two are moved as one
    c.n[0] = 1, c.n[1] = rows, c.n[2] = columns / share, c.n[4] = uint32_t(pitch / share);
    c.n[5] = Up(rows, 16), c.n[6] = 1;
    Issue(c, AKGEN_PIPE_MTE2);
  }
  void Load(bool a, uint64_t bytes, bool image) {
    sim::TraceEvent e;
    e.kind = sim::TraceKind::kLoad, e.pipe = AKGEN_PIPE_MTE1, e.n = uint32_t(bytes);
    e.op = image ? AKGEN_CUBE_LOAD3D : AKGEN_CUBE_LOAD2D;
    e.repeats = uint32_t(a ? sim::LoadTo::kL0A : sim::LoadTo::kL0B);
    trace_.Add(core_, e);
  }
  void Mmad(Element type, uint32_t m, uint32_t n, uint32_t k, uint32_t unit) {
    AkgenCube c{};
    c.op = AKGEN_CUBE_MMAD;
    c.src_type = Code(type);
    c.n[AKGEN_MMAD_M] = m, c.n[AKGEN_MMAD_N] = n, c.n[AKGEN_MMAD_K] = k,
    c.n[AKGEN_MMAD_UNIT_FLAG] = unit;
    Issue(c, AKGEN_PIPE_M);
  }
  void Fixpipe(uint64_t to, uint32_t bits, uint32_t m, uint32_t n, uint64_t pitch, uint32_t unit) {
    AkgenCube c{};
    c.op = AKGEN_CUBE_FIXPIPE;
    c.dst = reinterpret_cast<void*>(to);  // NOLINT
    c.dst_position = AKGEN_POS_GM;
    c.dst_type = bits == 16 ? AKGEN_F16 : bits == 8 ? AKGEN_I8 : AKGEN_F32;
    c.n[AKGEN_FIX_N] = n, c.n[AKGEN_FIX_M] = m, c.n[AKGEN_FIX_DST_STRIDE] = uint32_t(pitch);
    c.n[AKGEN_FIX_UNIT_FLAG] = unit, c.n[AKGEN_FIX_ND_NUM] = 1, c.n[AKGEN_FIX_ROWS] = 1;
    Issue(c, AKGEN_PIPE_FIX);
  }
  // Between the cores of a block (mode 2), when the pipe has come so far; and the wait for it.
  void SetAcross(uint32_t pipe, uint32_t id) { Across(sim::TraceKind::kCrossSet, pipe, id); }
  void WaitAcross(uint32_t id) { Across(sim::TraceKind::kCrossWait, AKGEN_PIPE_S, id); }
  void SyncAll(uint32_t number, uint32_t parties) {
    sim::TraceEvent e;
    e.kind = sim::TraceKind::kBarrier;
    trace_.Add(core_, e);
    e.kind = sim::TraceKind::kMeet, e.n = number, e.repeats = parties;
    trace_.Add(core_, e);
  }
  // `bursts` pieces between GM and this core, `stride` bytes from one to the next.
  void Copy(bool in, uint64_t at, uint64_t bytes, uint32_t bursts = 1, uint64_t stride = 0) {
    sim::TraceEvent e;
    e.kind = in ? sim::TraceKind::kCopyIn : sim::TraceKind::kCopyOut;
    e.pipe = in ? AKGEN_PIPE_MTE2 : AKGEN_PIPE_MTE3;
    e.address = at, e.n = uint32_t(bytes), e.bursts = uint16_t(bursts), e.stride = int64_t(stride);
    trace_.Add(core_, e);
  }
  void Vector(AkgenVecOp op, uint64_t n, uint8_t bits) {
    sim::TraceEvent e;
    e.kind = sim::TraceKind::kVector, e.pipe = AKGEN_PIPE_V, e.op = uint16_t(op), e.bits = bits;
    e.n = uint32_t(n), e.repeats = uint32_t((n * bits + 2047) / 2048);
    if (e.n) trace_.Add(core_, e);
  }

 private:
  void Across(sim::TraceKind kind, uint32_t pipe, uint32_t id) {
    sim::TraceEvent e;
    e.kind = kind, e.pipe = uint8_t(pipe), e.n = id, e.repeats = 2;
    trace_.Add(core_, e);
  }
  static uint8_t Code(Element type) {
    constexpr uint8_t kCodes[] = {AKGEN_F16, AKGEN_I8, AKGEN_I4, AKGEN_F32};
    return kCodes[size_t(type)];
  }
  sim::Trace& trace_;
  uint32_t core_;
  sim::UnitOrder units_;
};

}  // namespace akgen::calibration
