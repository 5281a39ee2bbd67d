#include "sim/exec/cube_trace.h"

#include <algorithm>
#include <cmath>

#include "sim/cube/fixpipe.h"
#include "sim/cube/image.h"
#include "sim/cube/mmad.h"
#include "sim/cube/moves.h"
#include "sim/machine/positions.h"
#include "sim/ops/ops.h"

namespace akgen::sim {
namespace {
using namespace cube;
using Add = std::function<void(TraceEvent)>;

LoadTo PlaceOf(uint8_t position) {
  const PositionRow* row = RowOfPosition(position);
  if (!row) return LoadTo::kL1;
  switch (row->memory) {
    case MemoryId::L0A: return LoadTo::kL0A;
    case MemoryId::L0B: return LoadTo::kL0B;
    case MemoryId::BT:
    case MemoryId::FB: return LoadTo::kTable;
    default: return LoadTo::kL1;
  }
}

uint32_t Bits(const AkgenCube& c) { return std::max(4u, BitsOf(c.src_type)); }

TraceEvent CopyIn(const AkgenCube& c, int64_t from, uint64_t bytes, uint32_t bursts,
                  int64_t stride) {
  TraceEvent e;
  e.kind = TraceKind::kCopyIn;
  e.address = reinterpret_cast<uint64_t>(c.src) + uint64_t(from);
  e.n = uint32_t(bytes), e.bursts = uint16_t(std::min(bursts, 65535u)), e.stride = stride;
  return e;
}

void Nd2NzEvents(const AkgenCube& c, const Add& add) {
  const Nd2Nz p(c, std::max(8u, BitsOf(c.src_type)));
  if (!p.rows || !p.columns) return;
  for (uint32_t g = 0; g < p.matrices; ++g) {
    TraceEvent e =
        CopyIn(c, int64_t(p.Source(g, 0)), p.RowBytes(), p.rows, int64_t(p.Bytes(p.src_row)));
    e.op = 1;
    add(e);
  }
}

// The documented bandwidth of LoadData (3D) falls with the strides that a fractal is gathered with:
// so many more bytes at the full rate.
double SlowerBy(const Load3d& p, LoadTo to) {
  const double wide = double(std::max<int64_t>(1, p.OutWidth()));
  const double rows =
      p.OutHeight() > 1 ? std::max(1.0, std::ceil(kSide / wide)) : 1;  // of the image, of a fractal
  const uint32_t s = p.stride_w;
  if (s == 1 && rows == 1) return 1;
  const double extra = to == LoadTo::kL0B ? 2 : 0, least = to == LoadTo::kL0B ? 512.0 / 18 : 32;
  const bool regular = s == 1 || s == 2 || s == 4 || s == 8;
  const double ways = s == 1 ? rows + 2 + extra : 2 * s + extra + (rows > 1 ? rows : 0);
  const double rate = regular ? std::max(least, std::floor(512 / ways)) : least;
  return (to == LoadTo::kL0B ? 128 : 256) / std::min(rate, to == LoadTo::kL0B ? 128.0 : 256.0);
}

uint64_t LoadBytes(const AkgenCube& c, LoadTo to) {
  switch (c.op) {
    case AKGEN_CUBE_LOAD2D_TRANSPOSE: {
      const SquareLoad p(c, Bits(c));
      return uint64_t(p.repeats) * p.Fractals() * kFractal;
    }
    case AKGEN_CUBE_LOAD3D: {
      const Load3d p(c, Bits(c));
      if (p.Nothing()) return 0;
      const uint64_t rows = uint64_t(Ceil(p.Rows(), kSide)) * kSide;
      return uint64_t(double(rows * Ceil(p.Columns(), PerRow(p.bits)) * kRow) * SlowerBy(p, to));
    }
    case AKGEN_CUBE_FILL: return uint64_t(c.n[0]) * c.n[1] * (to == LoadTo::kL1 ? kRow : kFractal);
    case AKGEN_CUBE_TO_TABLE: return uint64_t(c.n[0]) * c.n[1] * 64;
    default: return uint64_t(c.n[1]) * kFractal;
  }
}

void LoadEvents(const AkgenCube& c, const Add& add) {
  const LoadTo to = PlaceOf(c.dst_position);
  if (c.op == AKGEN_CUBE_LOAD2D && c.src_position == AKGEN_POS_GM) {
    const Load2d p(c);
    const int64_t stride = int64_t(p.src_stride) * kFractal * (p.descending ? -1 : 1);
    if (p.repeats) add(CopyIn(c, p.Source(0), kFractal, p.repeats, stride));
    return;
  }
  TraceEvent e;
  e.kind = TraceKind::kLoad;
  e.op = c.op, e.repeats = uint32_t(to);
  e.n = uint32_t(std::min<uint64_t>(LoadBytes(c, to), UINT32_MAX));
  if (e.n) add(e);
}

void MmadEvents(const AkgenCube& c, const Add& add) {
  const uint32_t m = c.n[AKGEN_MMAD_M], n = c.n[AKGEN_MMAD_N];
  uint32_t k = c.n[AKGEN_MMAD_K];
  if (c.n[AKGEN_MMAD_SPARSE]) k = (k + 1) / 2;
  TraceEvent e;
  e.kind = TraceKind::kMmad;
  e.bits = uint8_t(BitsOf(c.src_type));
  if (e.bits == 32 && c.registers[AKGEN_CUBE_REG_HF32]) e.bits = kHf32Bits;
  e.n = Ceil(m, kSide) * Ceil(n, kSide) * Ceil(k, MmadWidth(e.bits));
  if (e.n) add(e);
}

void FixEvents(const AkgenCube& c, const Add& add) {
  const uint32_t* f = c.n;
  const uint32_t n = f[AKGEN_FIX_N], m = f[AKGEN_FIX_M];
  const bool rows = f[AKGEN_FIX_ROWS] != 0, registers = f[AKGEN_FIX_FORM] != 0;
  const uint64_t nd = c.registers[AKGEN_CUBE_REG_ND];
  const uint32_t matrices = !rows ? 1 : registers ? uint16_t(nd) : f[AKGEN_FIX_ND_NUM];
  const uint64_t apart = registers ? uint32_t(nd >> 32) : f[AKGEN_FIX_DST_ND_STRIDE];
  const uint32_t bits = std::max(8u, BitsOf(c.dst_type)), bytes = bits / 8;
  for (uint32_t g = 0; n && m && g < matrices; ++g) {
    TraceEvent e;
    if (c.dst_position != AKGEN_POS_GM) {
      e.kind = TraceKind::kFix, e.n = m * n;
      add(e);
      continue;
    }
    const uint32_t wide = f[AKGEN_FIX_SPLIT] ? 8 : bytes == 1 ? 32 : 16;
    e.kind = TraceKind::kCopyOut, e.bits = uint8_t(bits);
    e.address = reinterpret_cast<uint64_t>(c.dst) + (rows ? g * apart * bytes : 0);
    e.n = rows ? n * bytes : m * wide * bytes;
    e.bursts = uint16_t(rows ? m : Ceil(n, wide));
    e.stride = int64_t(f[AKGEN_FIX_DST_STRIDE]) * (rows ? bytes : kRow);
    add(e);
  }
}
}  // namespace

void CubeEvents(const AkgenCube& c, uint32_t pipe, const Add& add) {
  const Add here = [&](TraceEvent e) {
    e.pipe = uint8_t(pipe);
    add(e);
  };
  switch (c.op) {
    case AKGEN_CUBE_ND2NZ: return Nd2NzEvents(c, here);
    case AKGEN_CUBE_MMAD: return MmadEvents(c, here);
    case AKGEN_CUBE_FIXPIPE: return FixEvents(c, here);
    default: return LoadEvents(c, here);
  }
}

void UnitOrder::Before(const AkgenCube& c, const Add& add) {
  constexpr uint64_t kMade = uint64_t{5} << 60, kTaken = kMade + 1;
  const auto flag = [&](TraceKind kind, uint32_t pipe, uint64_t name) {
    TraceEvent e;
    e.kind = kind, e.pipe = uint8_t(pipe), e.address = name;
    add(e);
  };
  if (c.op == AKGEN_CUBE_MMAD && c.n[AKGEN_MMAD_UNIT_FLAG]) {
    const auto begin = reinterpret_cast<uint64_t>(c.dst),
               end = begin + BytesOfC(c.n[AKGEN_MMAD_M], c.n[AKGEN_MMAD_N]);
    const auto last = std::find_if(taken_.rbegin(), taken_.rend(),
                                   [&](const Range& r) { return r.begin < end && begin < r.end; });
    for (auto n = taken_.rend() - last; n > 0; --n)
      flag(TraceKind::kWait, AKGEN_PIPE_M, kTaken), taken_.pop_front();
    if (c.n[AKGEN_MMAD_UNIT_FLAG] == 3) flag(TraceKind::kSet, AKGEN_PIPE_M, kMade), ++made_;
  }
  if (c.op == AKGEN_CUBE_FIXPIPE && c.n[AKGEN_FIX_UNIT_FLAG]) {
    for (; made_; --made_) flag(TraceKind::kWait, AKGEN_PIPE_FIX, kMade);
    if (c.n[AKGEN_FIX_UNIT_FLAG] != 3) return;
    const auto begin = reinterpret_cast<uint64_t>(c.src);
    flag(TraceKind::kSet, AKGEN_PIPE_FIX, kTaken);
    taken_.push_back({begin, begin + BytesOfC(c.n[AKGEN_FIX_M], c.n[AKGEN_FIX_N])});
  }
}

}  // namespace akgen::sim
