// Reductions inside a repeat, a DataBlock or a pair of neighbours.
#include "sim/ops/tree.h"

namespace akgen::sim {
namespace {

template <class T>
Operand Source(const AkgenVec& instr) {
  return Operand::Of(instr.src0, sizeof(T), 256 / sizeof(T), instr.src0_blk, instr.src0_rep,
                     CountForm(instr));
}
// Result i of repeat r lies at (r * stride) * unit bytes; COUNT form: one after another.
uint32_t Stride(const AkgenVec& instr) { return CountForm(instr) ? 1 : instr.dst_rep; }

bool HasLane(const Extent& x, uint32_t r, uint32_t first, uint32_t n) {
  for (uint32_t e = first; e < first + n; ++e)
    if (x.Active(r, e)) return true;
  return false;
}

// A repeat must not read what an earlier one wrote: `unit` bytes for each, `step` bytes apart.
void KeepApart(VecMachine& machine, const Operand& s, const uint8_t* d, size_t step, size_t unit) {
  const Extent& x = machine.extent();
  const uint32_t per_block = kBlock / s.size;
  for (uint32_t r = 1; d && r < x.repeats; ++r)
    for (uint32_t e = 0; e < s.per_repeat; e += per_block) {
      const int64_t gap = s.At(r, e) - d, apart = int64_t(std::max(step, size_t{1}));
      const int64_t writer = gap < int64_t(unit)
                                 ? 0
                                 : (gap - int64_t(unit)) / apart + 1;  // the first that gets so far
      if (writer >= r || writer * apart >= gap + int64_t(kBlock) || !HasLane(x, r, e, per_block))
        continue;
      return machine.Broken("reduce_overlap", "results lie on what a later repeat reads",
                            "reduce into another buffer");
    }
}

template <class T>
void RunWholeSum(VecMachine& machine, const AkgenVec& instr) {
  const Operand s = Source<T>(instr);
  const Extent& x = machine.extent();
  if (x.repeats == 0 || !HasLane(x, 0, 0, s.per_repeat) || !Announce(machine, s, false)) return;
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  const size_t step = size_t(Stride(instr)) * sizeof(T);
  if (d) {  // without a destination only the accumulator gets the sum
    Announcer out(machine, true);
    for (uint32_t r = 0; r < x.repeats; ++r) out.Add(d + r * step, sizeof(T));
    if (!out.Done()) return;
    KeepApart(machine, s, d, step, sizeof(T));
  }
  float lanes[128], total = -0.0f;
  for (uint32_t r = 0; r < x.repeats; ++r) {
    Widened<T>(s, x, r, kAbsent<T>, lanes);
    const float sum = TreeSum<T>(lanes, s.per_repeat);
    const T value = Down<T>(sum);
    if (d) std::memcpy(d + r * step, &value, sizeof value);
    total = Up(Down<T>(total + sum));
  }
  machine.acc_val = total;
}

// Bytes and offsets of (value, index) for a ReduceOrder: value-index, index-value, value only,
// index only.
struct Layout {
  uint32_t unit, value_at, index_at, index_bytes;
  bool value, index;
};
template <class T>
Layout LayoutOf(uint8_t order) {
  constexpr uint32_t kSize = sizeof(T);
  switch (order) {
    case 0: return {2 * kSize, 0, kSize, kSize, true, true};
    case 1: return {2 * kSize, kSize, 0, kSize, true, true};
    case 2: return {kSize, 0, 0, 0, true, false};
    default: return {4, 0, 0, 4, false, true};  // the index alone is a uint32 for half and float
  }
}

template <class T, bool kMax>
void RunWholeExtreme(VecMachine& machine, const AkgenVec& instr) {
  const Operand s = Source<T>(instr);
  const Extent& x = machine.extent();
  if (x.repeats == 0 || !HasLane(x, 0, 0, s.per_repeat) || !Announce(machine, s, false)) return;
  const Layout layout = LayoutOf<T>(instr.mode);
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  const size_t step = size_t(Stride(instr)) * layout.unit;
  Announcer out(machine, true);
  for (uint32_t r = 0; r < x.repeats; ++r) out.Add(d + r * step, layout.unit);
  if (!out.Done()) return;
  KeepApart(machine, s, d, step, layout.unit);
  float lanes[128];
  Best all;
  for (uint32_t r = 0; r < x.repeats; ++r) {
    const Best best = BestOf<T, kMax>(s, x, r, lanes);
    const uint64_t value = BitsOf<T>(best.value), index = best.index;
    if (layout.value) std::memcpy(d + r * step + layout.value_at, &value, sizeof(T));
    if (layout.index) std::memcpy(d + r * step + layout.index_at, &index, layout.index_bytes);
    if (best.any) Offer<kMax>(all, best.value, r * s.per_repeat + best.index);
  }
  machine.reduce_value = BitsOf<T>(all.value);
  machine.reduce_index = IndexBits<T>(all.index);
}

template <class T, int kKind>  // 0 sum, 1 max, 2 min
T ReduceBlock(const float* lanes, const Extent& x, uint32_t r, uint32_t first) {
  constexpr uint32_t kPer = kBlock / sizeof(T);
  if constexpr (kKind == 0) {
    float v[kPer];
    for (uint32_t e = 0; e < kPer; ++e) v[e] = lanes[first + e];
    return Down<T>(TreeSum<T>(v, kPer));
  } else {
    Best best;
    for (uint32_t e = 0; e < kPer; ++e)
      if (x.Active(r, first + e)) Offer<kKind == 1>(best, lanes[first + e], e);
    return Down<T>(best.value);
  }
}

// A DataBlock without an active element writes nothing (2201).
template <class T, int kKind>
void RunBlocks(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = kBlock / sizeof(T);
  const Operand s = Source<T>(instr);
  const Extent& x = machine.extent();
  if (x.repeats == 0 || !Announce(machine, s, false)) return;
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  const size_t step = size_t(Stride(instr)) * 8 * sizeof(T);
  Announcer out(machine, true);
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t b = 0; b < 8; ++b)
      if (HasLane(x, r, b * kPer, kPer)) out.Add(d + r * step + b * sizeof(T), sizeof(T));
  if (!out.Done()) return;
  KeepApart(machine, s, d, step, 8 * sizeof(T));
  float lanes[128];
  for (uint32_t r = 0; r < x.repeats; ++r) {
    Widened<T>(s, x, r, kAbsent<T>, lanes);
    for (uint32_t b = 0; b < 8; ++b) {
      if (!HasLane(x, r, b * kPer, kPer)) continue;
      const T value = ReduceBlock<T, kKind>(lanes, x, r, b * kPer);
      std::memcpy(d + r * step + b * sizeof(T), &value, sizeof value);
    }
  }
}

// A pair without an active element writes nothing (2201).
template <class T>
void RunPairs(VecMachine& machine, const AkgenVec& instr) {
  const Operand s = Source<T>(instr);
  const Extent& x = machine.extent();
  if (x.repeats == 0 || !Announce(machine, s, false)) return;
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  const size_t step = size_t(Stride(instr)) * 128;
  Announcer out(machine, true);
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t p = 0; p < s.per_repeat / 2; ++p)
      if (HasLane(x, r, 2 * p, 2)) out.Add(d + r * step + p * sizeof(T), sizeof(T));
  if (!out.Done()) return;
  KeepApart(machine, s, d, step, 128);
  float lanes[128];
  for (uint32_t r = 0; r < x.repeats; ++r) {
    Widened<T>(s, x, r, kAbsent<T>, lanes);
    for (uint32_t p = 0; p < s.per_repeat / 2; ++p) {
      if (!HasLane(x, r, 2 * p, 2)) continue;
      const T value = Down<T>(lanes[2 * p] + lanes[2 * p + 1]);
      std::memcpy(d + r * step + p * sizeof(T), &value, sizeof value);
    }
  }
}

}  // namespace

OwnFn FindReduce(const AkgenVec& instr) {
  static const OwnRow kRows[] = {
      {AKGEN_OP_WholeReduceSum, AKGEN_F16, RunWholeSum<F16>},
      {AKGEN_OP_WholeReduceSum, AKGEN_F32, RunWholeSum<float>},
      {AKGEN_OP_WholeReduceMax, AKGEN_F16, RunWholeExtreme<F16, true>},
      {AKGEN_OP_WholeReduceMax, AKGEN_F32, RunWholeExtreme<float, true>},
      {AKGEN_OP_WholeReduceMin, AKGEN_F16, RunWholeExtreme<F16, false>},
      {AKGEN_OP_WholeReduceMin, AKGEN_F32, RunWholeExtreme<float, false>},
      {AKGEN_OP_BlockReduceSum, AKGEN_F16, RunBlocks<F16, 0>},
      {AKGEN_OP_BlockReduceSum, AKGEN_F32, RunBlocks<float, 0>},
      {AKGEN_OP_BlockReduceMax, AKGEN_F16, RunBlocks<F16, 1>},
      {AKGEN_OP_BlockReduceMax, AKGEN_F32, RunBlocks<float, 1>},
      {AKGEN_OP_BlockReduceMin, AKGEN_F16, RunBlocks<F16, 2>},
      {AKGEN_OP_BlockReduceMin, AKGEN_F32, RunBlocks<float, 2>},
      {AKGEN_OP_PairReduceSum, AKGEN_F16, RunPairs<F16>},
      {AKGEN_OP_PairReduceSum, AKGEN_F32, RunPairs<float>},
  };
  return PickOwn(kRows, instr.op, instr.src_type);
}

}  // namespace akgen::sim
