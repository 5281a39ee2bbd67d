#include "cube_kernels.h"

#include <algorithm>

#include "product_on_core.h"

namespace akgen::calibration {
namespace {
using sim::Trace;
}  // namespace

double BitsOf(Element e) {
  constexpr double kBits[] = {16, 8, 4, 32};
  return kBits[size_t(e)];
}

Trace TraceOf(const MatrixProduct& p) {
  Trace trace(p.grid_m * p.grid_n, SIZE_MAX);
  trace.SetCores(1, 0);
  for (uint32_t core = 0; core < p.grid_m * p.grid_n; ++core) {
    ProductOnCore one(p, trace, core);
    for (const Tile& t : TilesOf(p, core)) one.Block(t);
  }
  return trace;
}

Trace TraceOf(const Mmads& m) {
  Trace trace(1, SIZE_MAX);
  trace.SetCores(1, 0);
  Issuer io(trace, 0);
  for (uint32_t i = 0; i < m.times; ++i) io.Mmad(Element::half, m.m, m.n, m.k / m.times, 0);
  io.Set(AKGEN_PIPE_M, AKGEN_PIPE_FIX), io.Wait(AKGEN_PIPE_M, AKGEN_PIPE_FIX);
  return trace;
}

Trace TraceOf(const Store& s) {
  Trace trace(1, SIZE_MAX);
  trace.SetCores(1, 0);
  Issuer(trace, 0).Fixpipe(kC, 16, s.m, s.n, s.n, 0);
  return trace;
}

Trace TraceOf(const ReadNz& s) {
  Trace trace(kCubeCores, SIZE_MAX);
  trace.SetCores(1, 0);
  const uint32_t down = s.rows / s.tile_rows,
                 across = (s.columns / s.column_parts + s.tile_columns - 1) / s.tile_columns,
                 all = down * across;
  for (uint32_t core = 0; core < kCubeCores; ++core) {
    Issuer io(trace, core);
    const uint32_t own = uint32_t(uint64_t(all) * core / kCubeCores);
    const uint32_t first = s.whole_on_each_core ? 0 : own;
    const uint32_t count =
        s.whole_on_each_core ? all : uint32_t(uint64_t(all) * (core + 1) / kCubeCores) - first;
    for (uint32_t part = 0; part < s.column_parts; ++part)
      for (uint32_t pass = 0; pass < s.passes; ++pass)
        for (uint32_t t = 0; t < count; ++t) {
          const uint32_t at = first + (t + (s.staggered ? own : 0)) % count;
          const uint64_t row = uint64_t(at / across) * s.tile_rows,
                         column = (part * across + at % across) * uint64_t(s.tile_columns);
          const uint32_t width = uint32_t(std::min<uint64_t>(s.tile_columns, s.columns - column));
          io.Nd2Nz(kA + (row * s.pitch + column) * 2, Element::half, s.tile_rows, width, s.pitch);
        }
  }
  return trace;
}

}  // namespace akgen::calibration
