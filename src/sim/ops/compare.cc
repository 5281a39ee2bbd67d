// Compare, CompareScalar and Select.
#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

enum Mode : uint8_t { kLt, kGt, kEq, kLe, kGe, kNe };  // CMPMODE

// NE is false when an operand is NaN, unlike IEEE 754 (note under the Compare edge-value table).
template <Mode kMode, class V>
bool Holds(V a, V b) {
  if constexpr (kMode == kLt)
    return a < b;
  else if constexpr (kMode == kGt)
    return a > b;
  else if constexpr (kMode == kEq)
    return a == b;
  else if constexpr (kMode == kLe)
    return a <= b;
  else if constexpr (kMode == kGe)
    return a >= b;
  else
    return (a < b) | (a > b);
}

// Bits of n elements (a multiple of 8), LSB first. Bytes first and then packed: both steps
// vectorise.
template <Mode kMode, class T>
void CompareBits(uint8_t* out, const T* a, const T* b, uint32_t b_step, uint32_t n) {
  uint8_t flags[128];
  if (b_step) {
    for (uint32_t i = 0; i < n; ++i) flags[i] = Holds<kMode>(Up(a[i]), Up(b[i]));
  } else {
    const auto k = Up(b[0]);
    for (uint32_t i = 0; i < n; ++i) flags[i] = Holds<kMode>(Up(a[i]), k);
  }
  for (uint32_t i = 0; i < n / 8; ++i) {
    uint64_t word;
    std::memcpy(&word, flags + 8 * i, 8);
    out[i] = uint8_t((word * 0x0102040810204080ull) >> 56);
  }
}
template <class T>
void CompareBits(uint8_t mode, uint8_t* out, const T* a, const T* b, uint32_t b_step, uint32_t n) {
  switch (mode) {
    case kLt: return CompareBits<kLt>(out, a, b, b_step, n);
    case kGt: return CompareBits<kGt>(out, a, b, b_step, n);
    case kEq: return CompareBits<kEq>(out, a, b, b_step, n);
    case kLe: return CompareBits<kLe>(out, a, b, b_step, n);
    case kGe: return CompareBits<kGe>(out, a, b, b_step, n);
    default: return CompareBits<kNe>(out, a, b, b_step, n);
  }
}

template <class T>
void Load(const Operand& o, uint32_t r, T* to) {
  if (o.contiguous || o.blk == 1) {
    std::memcpy(to, o.At(r, 0), o.per_repeat * sizeof(T));
    return;
  }
  for (uint32_t e = 0; e < o.per_repeat; e += kBlock / sizeof(T))
    std::memcpy(to + e, o.At(r, e), kBlock);
}

// Announces whole repeats: the 2201 compare to memory ignores the mask.
bool ReadRepeats(VecMachine& machine, const Operand& o, uint32_t repeats) {
  if (o.contiguous) return machine.Read(o.base, size_t(repeats) * o.per_repeat * o.size);
  Announcer in(machine, false);
  const uint32_t per_block = kBlock / o.size;
  for (uint32_t r = 0; r < repeats; ++r)
    for (uint32_t e = 0; e < o.per_repeat; e += per_block) in.Add(o.At(r, e), kBlock);
  return in.Done();
}

// Undefined lanes of a repeat, in eights: a byte of the result has eight of them, of one DataBlock
// or a half.
struct Undefined {
  uint8_t lanes[128] = {};
  bool any = false;

  template <class T>
  void Add(VecMachine& machine, const Operand& o, uint32_t r) {
    if ((o.contiguous || o.blk == 1) && machine.Defined(o.At(r, 0), o.per_repeat * sizeof(T)))
      return;
    for (uint32_t e = 0; e < o.per_repeat; e += 8) {
      if (machine.Defined(o.At(r, e), 8 * sizeof(T))) continue;
      any = true;
      for (uint32_t i = e; i < e + 8; ++i)
        lanes[i] |= machine.Defined(o.At(r, i), sizeof(T)) ? 0 : 1;
    }
  }
  uint8_t Bits(uint32_t first) const {
    uint8_t bits = 0;
    for (uint32_t i = 0; i < 8; ++i) bits |= uint8_t(lanes[first + i] << i);
    return bits;
  }
};

// Into the register: one repeat, inactive lanes give 0.
template <class T>
void CompareToRegister(VecMachine& machine, const AkgenVec& instr, const Operand& a,
                       const Operand& b, T scalar) {
  T x[256 / sizeof(T)] = {}, y[256 / sizeof(T)] = {};
  const Extent& extent = machine.extent();
  if (!Announce(machine, a, false) || (b.base && !Announce(machine, b, false))) return;
  for (uint32_t e = 0; e < a.per_repeat; ++e) {
    if (!extent.Active(0, e)) continue;
    std::memcpy(&x[e], a.At(0, e), sizeof(T));
    if (b.base)
      std::memcpy(&y[e], b.At(0, e), sizeof(T));
    else
      y[e] = scalar;
  }
  uint64_t bits[2] = {0, 0};
  CompareBits<T>(instr.mode, reinterpret_cast<uint8_t*>(bits), x, y, 1, a.per_repeat);
  Undefined undefined;
  undefined.Add<T>(machine, a, 0);
  if (b.base) undefined.Add<T>(machine, b, 0);
  for (int i = 0; i < 2; ++i) machine.cmp_mask_undefined[i] = 0;
  auto* bytes = reinterpret_cast<uint8_t*>(bits);
  for (uint32_t e = 0; e < a.per_repeat; e += 8)
    bytes[e / 8] = machine.MaskByte(bytes[e / 8], undefined.Bits(e));
  for (uint32_t e = 0; e < a.per_repeat; ++e) {
    const uint64_t bit = uint64_t(1) << (e & 63);
    if (!extent.Active(0, e))
      bits[e >> 6] &= ~bit;
    else if (undefined.lanes[e])
      machine.cmp_mask_undefined[e >> 6] |= bit;
  }
  machine.cmp_mask[0] = bits[0];
  machine.cmp_mask[1] = bits[1];
  machine.SetDefined(nullptr, 0, true);  // all is said
}

// COUNT: only whole 256-byte repeats take part; the rest of the destination stays as it was.
template <class T>
void RunCompare(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = 256 / sizeof(T);
  const bool count = CountForm(instr), with_scalar = instr.op == AKGEN_OP_CompareScalar;
  const T scalar = ScalarOf<T>(instr.scalar);
  Operand a = Operand::Of(instr.src0, sizeof(T), kPer, instr.src0_blk, instr.src0_rep, count);
  Operand b = Operand::Of(with_scalar ? nullptr : instr.src1, sizeof(T), kPer, instr.src1_blk,
                          instr.src1_rep, count);
  if (!instr.dst) return CompareToRegister<T>(machine, instr, a, b, scalar);
  const Extent& extent = machine.extent();
  if (count && extent.total % kPer)
    machine.Broken("compare_count",
                   "count elements do not fill whole 256-byte repeats; the tail is not compared",
                   "round count up to a multiple of 256 bytes");
  const uint32_t repeats = extent.total ? extent.total / kPer : extent.repeats;
  if (repeats == 0) return;
  uint8_t* out = static_cast<uint8_t*>(instr.dst);
  if (!ReadRepeats(machine, a, repeats) || (b.base && !ReadRepeats(machine, b, repeats)) ||
      !machine.Write(out, size_t(repeats) * kPer / 8))
    return;
  T x[kPer], y[kPer];
  y[0] = scalar;
  for (uint32_t r = 0; r < repeats; ++r) {
    uint8_t* to = out + size_t(r) * kPer / 8;
    Load(a, r, x);
    if (b.base) Load(b, r, y);
    CompareBits<T>(instr.mode, to, x, y, b.base ? 1 : 0, kPer);
    Undefined undefined;
    undefined.Add<T>(machine, a, r);
    if (b.base) undefined.Add<T>(machine, b, r);
    if (!undefined.any) continue;
    // Of a byte that some lanes define only those are asked for: the tail of a row is compared in
    // whole repeats.
    machine.SetDefined(to, kPer / 8, true);
    for (uint32_t i = 0; i < kPer / 8; ++i) {
      to[i] = machine.MaskByte(to[i], undefined.Bits(8 * i));
      if (undefined.Bits(8 * i) == 0xff) machine.SetDefined(to + i, 1, false);
    }
  }
}

// Mask bits of repeat r. From the register, or in mode 0, every repeat uses the same bits.
struct SelectMask {
  const uint8_t* bits;
  uint32_t step;  // bytes per repeat
};

template <class T>
void SelectLanes(T* d, const T* a, const T* b, uint32_t b_step, const uint8_t* mask, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    T other = b_step ? b[i] : b[0];
    d[i] = (mask[i >> 3] >> (i & 7)) & 1 ? a[i] : other;
  }
}

template <class T>
void RunSelect(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = 256 / sizeof(T);
  const Extent& extent = machine.extent();
  const bool count = CountForm(instr), with_scalar = instr.mode == 1;
  Operand d = Operand::Of(instr.dst, sizeof(T), kPer, instr.dst_blk, instr.dst_rep, count);
  Operand a = Operand::Of(instr.src0, sizeof(T), kPer, instr.src0_blk, instr.src0_rep, count);
  Operand b = Operand::Of(instr.src1, sizeof(T), kPer, instr.src1_blk, instr.src1_rep, count);
  const uint32_t repeats = extent.total ? (extent.total + kPer - 1) / kPer : extent.repeats;
  if (repeats == 0) return;
  SelectMask mask{reinterpret_cast<const uint8_t*>(machine.cmp_mask), 0};
  if (instr.aux[0]) {
    mask.bits = reinterpret_cast<const uint8_t*>(instr.aux[0]);
    mask.step = instr.mode == 0 ? 0 : kPer / 8;
    uint32_t bits = mask.step == 0 ? (repeats > 1 || !extent.total ? kPer : extent.total)
                    : extent.total ? extent.total
                                   : repeats * kPer;
    if (!machine.Read(mask.bits, (bits + 7) / 8)) return;
  }
  if (!Announce(machine, a, false) || (!with_scalar && !Announce(machine, b, false)) ||
      !Announce(machine, d, true))
    return;
  const T scalar = ScalarOf<T>(instr.scalar);
  for (uint32_t r = 0; r < repeats; ++r) {
    const uint8_t* bits = mask.bits + size_t(r) * mask.step;
    int prefix =
        d.contiguous && a.contiguous && (with_scalar || b.contiguous) ? Prefix(extent, r) : -1;
    if (prefix >= 0) {
      const T* other = with_scalar ? &scalar : reinterpret_cast<const T*>(b.At(r, 0));
      SelectLanes(reinterpret_cast<T*>(d.At(r, 0)), reinterpret_cast<const T*>(a.At(r, 0)), other,
                  with_scalar ? 0 : 1, bits, uint32_t(prefix));
      continue;
    }
    for (uint32_t e = 0; e < kPer; ++e) {
      if (!extent.Active(r, e)) continue;
      bool first = (bits[e >> 3] >> (e & 7)) & 1;
      const void* from = first         ? a.At(r, e)
                         : with_scalar ? static_cast<const void*>(&scalar)
                                       : b.At(r, e);
      std::memcpy(d.At(r, e), from, sizeof(T));
    }
  }
}

}  // namespace

OwnFn FindCompare(const AkgenVec& instr) {
  switch (instr.op) {
    case AKGEN_OP_Compare:
    case AKGEN_OP_CompareScalar:
      if (instr.src_type == AKGEN_F16) return RunCompare<F16>;
      if (instr.src_type == AKGEN_F32) return RunCompare<float>;
      if (instr.src_type == AKGEN_I32 && instr.mode == kEq && instr.dst) return RunCompare<int32_t>;
      return nullptr;
    case AKGEN_OP_Select:
      if (instr.dst_type == AKGEN_F16) return RunSelect<uint16_t>;
      return instr.dst_type == AKGEN_F32 ? RunSelect<uint32_t> : nullptr;
    default: return nullptr;
  }
}

}  // namespace akgen::sim
