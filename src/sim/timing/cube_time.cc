#include "sim/timing/cube_time.h"

namespace akgen::sim {

double CubeCycles(const TraceEvent& e, const TimingParameters& p) {
  switch (e.kind) {
    case TraceKind::kMmad: return e.n + p.mmad_gap;
    case TraceKind::kFix: return e.n / p.fix_l1_rate + p.fix_head;
    case TraceKind::kLoad: break;
    default: return 0;
  }
  switch (LoadTo(e.repeats)) {
    case LoadTo::kTable: return e.n / p.table_rate;
    case LoadTo::kL0B: return e.n / p.l0b_rate;
    default: return e.n / p.l0a_rate;
  }
}

double LoadHead(const TraceEvent& e, const TimingParameters& p) {
  if (e.kind != TraceKind::kLoad) return 0;
  if (LoadTo(e.repeats) == LoadTo::kTable) return p.table_head;
  return e.op == AKGEN_CUBE_LOAD3D ? p.image_head : p.load_head;
}

double CubeLatency(uint32_t pipe, const TimingParameters& p) {
  return pipe == AKGEN_PIPE_M ? p.mmad_latency : pipe == AKGEN_PIPE_MTE2 ? p.l1_latency : 0;
}

}  // namespace akgen::sim
