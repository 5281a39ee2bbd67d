#include "sim/trace/trace.h"

#include <algorithm>

namespace akgen::sim {
namespace {
uint32_t BitsOf(uint8_t dtype) {
  switch (dtype) {
    case AKGEN_NO_DTYPE: return 0;
    case AKGEN_I4: return 4;
    case AKGEN_I8: case AKGEN_U8: case AKGEN_BOOL: return 8;
    case AKGEN_F16: case AKGEN_BF16: case AKGEN_I16: case AKGEN_U16: return 16;
    case AKGEN_I64: case AKGEN_U64: case AKGEN_F64: case AKGEN_C64: return 64;
    default: return 32;
  }
}

// Elements an instruction of the rows family handles: its shape lies in aux.
uint64_t RowsElements(const AkgenVec& v) {
  switch (v.op) {
    case AKGEN_OP_SumRows: case AKGEN_OP_MeanRows: case AKGEN_OP_CumSum:
    case AKGEN_OP_SoftMaxRows: case AKGEN_OP_SoftMaxGradRows:
      return v.aux[0] * v.aux[1];
    case AKGEN_OP_BroadCast: {
      uint64_t high = v.aux[2] >> 32;
      return (v.aux[2] & 0xffffffffu) * (high ? high : 1);
    }
    default: return 0;
  }
}

// Documented address rules of 2201: 16 bank groups of 3 banks; a repeat's eight DataBlocks per operand.
struct Side {
  uint32_t at, blk, rep;  // byte offset in UB, strides in DataBlocks
  uint32_t Block(uint32_t r, uint32_t b) const { return at + (r * rep + b * blk) * 32; }
};
uint32_t Group(uint32_t at) { return (at >> 5) & 15; }
uint32_t Bank(uint32_t at) { return (at >> 16) * 16 + Group(at); }

// How many cycles beyond the first one bank group needs for the distinct DataBlocks of these operands.
uint32_t Crowding(const Side* sides, int n, uint32_t r) {
  uint32_t rows[16][24], count[16] = {}, most = 1;
  for (int s = 0; s < n; ++s)
    for (uint32_t b = 0; b < 8; ++b) {
      uint32_t at = sides[s].Block(r, b), g = Group(at);
      if (std::find(rows[g], rows[g] + count[g], at >> 5) != rows[g] + count[g]) continue;
      rows[g][count[g]++] = at >> 5;
      most = std::max(most, count[g]);
    }
  return most - 1;
}

bool WriteMeetsRead(const Side& dst, const Side* sources, int n, uint32_t r) {
  for (uint32_t b = 0; b < 8; ++b) {
    uint32_t bank = Bank(dst.Block(r, b));
    for (int s = 0; s < n; ++s)
      for (uint32_t k = 0; k < 8; ++k)
        if (Bank(sources[s].Block(r + 1, k)) == bank) return true;
  }
  return false;
}

void CountConflicts(TraceEvent& e, const AkgenVec& v, const uint8_t* ub) {
  bool plain = v.form == AKGEN_FORM_COUNT;
  auto side = [&](const void* p, uint32_t blk, uint32_t rep) {
    return Side{uint32_t(static_cast<const uint8_t*>(p) - ub), plain ? 1 : blk, plain ? 8 : rep};
  };
  Side dst = side(v.dst, v.dst_blk, v.dst_rep), src[2];
  int n = 0;
  if (v.src0) src[n++] = side(v.src0, v.src0_blk, v.src0_rep);
  if (v.src1 && v.src1_type != AKGEN_NO_DTYPE) src[n++] = side(v.src1, v.src1_blk, v.src1_rep);
  uint32_t sample = std::min(e.repeats, 32u);  // the pattern of addresses repeats at the latest after 16
  if (sample == 0 || !v.dst) return;
  uint32_t reads = 0, writes = 0;
  for (uint32_t r = 0; r < sample; ++r) {
    reads += std::max(n ? Crowding(src, n, r) : 0, Crowding(&dst, 1, r));
    if (r + 1 < sample) writes += WriteMeetsRead(dst, src, n, r);
  }
  e.bank_reads = float(reads) * float(e.repeats) / float(sample);
  e.bank_writes = sample > 1 ? float(writes) * float(e.repeats - 1) / float(sample - 1) : 0;
}

bool Elementwise(uint16_t op) { return op <= AKGEN_OP_Duplicate; }
}  // namespace

const char* NameOf(TraceKind kind) {
  static constexpr const char* names[] = {"vector", "copy in", "copy out", "copy in UB", "set flag", "wait flag", "scalar UB",
                                          "scalar GM", "wait for pipe", "barrier", "wait for all blocks", "notify block",
                                          "wait for block", "scalar"};
  return names[size_t(kind)];
}

void Trace::Add(uint32_t block, const TraceEvent& e) {
  std::vector<TraceEvent>& events = blocks_[block];
  bool scalar = e.kind == TraceKind::kScalarUb || e.kind == TraceKind::kScalarGm || e.kind == TraceKind::kCall;
  if (scalar && !events.empty() && events.back().kind == e.kind && events.back().site == e.site) {
    events.back().n += e.n;
    return;
  }
  if (left_ == 0) {
    cut_ = true;
    return;
  }
  --left_;
  events.push_back(e);
}

TraceEvent VectorEvent(const AkgenVec& v, const uint8_t* ub, uint32_t counter_total) {
  TraceEvent e;
  e.kind = TraceKind::kVector;
  e.pipe = AKGEN_PIPE_V;
  e.op = v.op;
  uint32_t bits = std::max({BitsOf(v.dst_type), BitsOf(v.src_type), BitsOf(v.src1_type)});
  e.bits = uint8_t(bits ? bits : 32);
  uint32_t per_repeat = std::max(1u, 2048u / e.bits);
  uint64_t rows = RowsElements(v);
  if (rows) e.n = uint32_t(std::min<uint64_t>(rows, UINT32_MAX));
  else if (v.form == AKGEN_FORM_COUNT || (v.form == AKGEN_FORM_WHOLE && v.count)) e.n = v.count;
  else if (counter_total) e.n = counter_total;
  else e.n = v.repeat * per_repeat;
  e.repeats = (e.n + per_repeat - 1) / per_repeat;
  if (Elementwise(v.op) && v.form != AKGEN_FORM_WHOLE) CountConflicts(e, v, ub);
  return e;
}

TraceEvent CopyEvent(const AkgenCopy& c) {
  TraceEvent e;
  e.kind = c.kind == AKGEN_GM_TO_UB ? TraceKind::kCopyIn : c.kind == AKGEN_UB_TO_GM ? TraceKind::kCopyOut : TraceKind::kCopyUb;
  static constexpr uint8_t pipe[] = {AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3, AKGEN_PIPE_V};
  e.pipe = pipe[c.kind % 3];
  e.n = c.block_len;
  e.bursts = c.block_count;
  e.bypass = c.l2_bypass != 0;
  e.address = reinterpret_cast<uint64_t>(c.kind == AKGEN_GM_TO_UB ? c.src : c.dst);
  e.stride = int64_t(c.block_len) + (c.kind == AKGEN_GM_TO_UB ? c.src_stride : c.dst_stride);
  if (e.bursts > 1 && e.stride == int64_t(e.n)) {  // pieces that touch are one burst
    uint64_t all = uint64_t(e.n) * e.bursts;
    if (all <= UINT32_MAX) e.n = uint32_t(all), e.bursts = 1;
  }
  return e;
}

}  // namespace akgen::sim
