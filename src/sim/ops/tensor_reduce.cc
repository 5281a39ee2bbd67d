// ReduceSum, ReduceMax and ReduceMin over a whole tensor.
#include <vector>

#include "sim/ops/tree.h"

namespace akgen::sim {
namespace {

uint32_t RoundUpTo(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

// srcBlkStride is not an operand of these calls: blocks of a repeat are adjacent.
template <class T>
Operand SourceRows(const AkgenVec& instr) {
  return Operand::Of(instr.src0, sizeof(T), 256 / sizeof(T), 1, instr.src0_rep, CountForm(instr));
}

// The 2201 count form adds the repeats' sums one after the other and leaves the work buffer alone;
// the sliced form writes them to the work buffer and reduces those again, repeat by repeat, until
// one is left.
template <class T>
void RunReduceSum(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = 256 / sizeof(T);
  const Operand s = SourceRows<T>(instr);
  const Extent& x = machine.extent();
  if (x.repeats == 0 || !Announce(machine, s, false)) return;
  std::vector<float> sums(RoundUpTo(x.repeats, kPer), kAbsent<T>);
  float lanes[128];
  for (uint32_t r = 0; r < x.repeats; ++r) {
    Widened<T>(s, x, r, kAbsent<T>, lanes);
    sums[r] = TreeSum<T>(lanes, kPer);
  }
  float result = sums[0];
  if (x.total) {
    for (uint32_t r = 1; r < x.repeats; ++r) result = Up(Down<T>(result + sums[r]));
  } else {
    for (uint32_t n = x.repeats; n > 1;) {
      uint32_t left = (n + kPer - 1) / kPer;
      for (uint32_t r = 0; r < left; ++r) sums[r] = TreeSum<T>(&sums[r * kPer], kPer);
      for (uint32_t r = left; r < RoundUpTo(left, kPer) && r < sums.size(); ++r)
        sums[r] = kAbsent<T>;
      n = left;
    }
    result = sums[0];
    if (instr.tmp) machine.Clobber(instr.tmp, x.repeats * sizeof(T));
  }
  machine.acc_val = result;
  if (!machine.Write(instr.dst, sizeof(T))) return;
  const T value = Down<T>(result);
  std::memcpy(instr.dst, &value, sizeof value);
}

// What the work buffer loses: one (value, index) pair per repeat and round; with an index the
// rounds follow one another, each on a fresh DataBlock, without one they share the space of the
// first. A single repeat with an index goes straight to dst. The count form reduces its tail apart
// and then compares two values in the buffer.
template <class T>
void ClobberWork(VecMachine& machine, const AkgenVec& instr, const Extent& x) {
  constexpr uint32_t kPerBlock = kBlock / sizeof(T), kPer = 256 / sizeof(T);
  if (!instr.tmp) return;
  T* work = static_cast<T*>(instr.tmp);
  const uint32_t whole = x.total ? x.total / kPer : x.repeats;
  uint32_t produced = 2 * (whole ? whole : 1), at = 0;
  if (!instr.flag) return machine.Clobber(work, produced * sizeof(T));
  if (produced == 2) {
    if (x.total > kPer) machine.Clobber(work, 2 * sizeof(T));
    return;
  }
  for (;; produced = (produced + kPer - 1) / kPer * 2) {
    machine.Clobber(work + at, produced * sizeof(T));
    at += RoundUpTo(produced, kPerBlock);
    if (produced == 2) return;
  }
}

template <class T, bool kMax>
void RunReduceExtreme(VecMachine& machine, const AkgenVec& instr) {
  const Operand s = SourceRows<T>(instr);
  const Extent& x = machine.extent();
  if (x.repeats == 0 || !Announce(machine, s, false)) return;
  // The index counts positions in the tensor, gaps between repeats included.
  const uint32_t pitch = s.contiguous ? s.per_repeat : s.rep * (kBlock / uint32_t(sizeof(T)));
  float lanes[128];
  Best all;
  for (uint32_t r = 0; r < x.repeats; ++r) {
    const Best best = BestOf<T, kMax>(s, x, r, lanes);
    if (best.any) Offer<kMax>(all, best.value, r * pitch + best.index);
  }
  if (!all.any) return;
  if (sizeof(T) == 2 && instr.flag && all.index > UINT16_MAX)
    machine.Broken("reduce_index", "the index is above 65535, which half cannot hold",
                   "reduce parts of the tensor");
  ClobberWork<T>(machine, instr, x);
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  if (!machine.Write(d, instr.flag ? 2 * sizeof(T) : sizeof(T))) return;
  const uint64_t value = BitsOf<T>(all.value), index = IndexBits<T>(all.index);
  std::memcpy(d, &value, sizeof(T));
  if (instr.flag) std::memcpy(d + sizeof(T), &index, sizeof(T));
  machine.reduce_value = value;
  machine.reduce_index = index;
}

}  // namespace

OwnFn FindTensorReduce(const AkgenVec& instr) {
  static const OwnRow kRows[] = {
      {AKGEN_OP_ReduceSum, AKGEN_F16, RunReduceSum<F16>},
      {AKGEN_OP_ReduceSum, AKGEN_F32, RunReduceSum<float>},
      {AKGEN_OP_ReduceMax, AKGEN_F16, RunReduceExtreme<F16, true>},
      {AKGEN_OP_ReduceMax, AKGEN_F32, RunReduceExtreme<float, true>},
      {AKGEN_OP_ReduceMin, AKGEN_F16, RunReduceExtreme<F16, false>},
      {AKGEN_OP_ReduceMin, AKGEN_F32, RunReduceExtreme<float, false>},
  };
  return PickOwn(kRows, instr.op, instr.src_type);
}

}  // namespace akgen::sim
