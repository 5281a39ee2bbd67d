// Instructions that fill or rearrange DataBlocks.
#include <vector>

#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

// Element e of repeat r is first + r * perRepeat + e; half adds in float and rounds once.
template <class T>
void RunCreateVecIndex(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = 256 / sizeof(T);
  const Extent& x = machine.extent();
  const Operand d =
      Operand::Of(instr.dst, sizeof(T), kPer, instr.dst_blk, instr.dst_rep, CountForm(instr));
  if (x.repeats == 0 || !Announce(machine, d, true)) return;
  const auto first = Up(ScalarOf<T>(instr.scalar));
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t e = 0; e < kPer; ++e) {
      if (!x.Active(r, e)) continue;
      T v;
      if constexpr (kIsFloat<T>)
        v = Down<T>(first + float(r * kPer + e));
      else
        v = T(uint32_t(first) + r * kPer + e);
      std::memcpy(d.At(r, e), &v, sizeof v);
    }
}

template <class T>
void RunBrcb(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t n = instr.repeat * 8;
  const T* s = static_cast<const T*>(instr.src0);
  uint8_t* dst = static_cast<uint8_t*>(instr.dst);
  if (n == 0 || !machine.Read(s, n * sizeof(T))) return;
  if (instr.dst_blk == 0)
    machine.Broken("brcb_stride", "dstBlkStride is 0, which is undefined", "use 1 or more");
  auto at = [&](uint32_t i) {
    return Behind(dst, (size_t(i / 8) * instr.dst_rep + size_t(i % 8) * instr.dst_blk) * kBlock);
  };
  Announcer out(machine, true);
  const auto* from = reinterpret_cast<const uint8_t*>(s);
  bool meets = false;
  for (uint32_t i = 0; i < n; ++i) {
    out.Add(at(i), kBlock);
    meets = meets || (at(i) < from + n * sizeof(T) && from < at(i) + kBlock);
  }
  if (meets)
    machine.Broken("brcb_overlap", "source and destination share memory",
                   "write to another buffer");
  if (!out.Done()) return;
  for (uint32_t i = 0; i < n; ++i) {
    const T v = s[i];
    T* d = reinterpret_cast<T*>(at(i));
    for (uint32_t e = 0; e < kBlock / sizeof(T); ++e) d[e] = v;
  }
}

void RunTranspose(VecMachine& machine, const AkgenVec& instr) {
  if (!machine.Read(instr.src0, 512) || !machine.Write(instr.dst, 512)) return;
  uint16_t block[256];
  std::memcpy(block, instr.src0, 512);
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t j = 0; j < 16; ++j)
      static_cast<uint16_t*>(instr.dst)[16 * j + i] = block[16 * i + j];
}

// aux[0] = 1: NCHW -> NHWC, 2: back; aux[1] = n, c, h, w as packed 4×u16.
template <class T>
void RunTranspose4d(VecMachine& machine, const AkgenVec& instr) {
  const size_t n = instr.aux[1] & 0xffff, c = (instr.aux[1] >> 16) & 0xffff;
  const size_t plane = ((instr.aux[1] >> 32) & 0xffff) * (instr.aux[1] >> 48), image = c * plane;
  const size_t bytes = n * image * sizeof(T);
  constexpr size_t kLimit = 4095;
  if (c > kLimit || plane > kLimit || plane * sizeof(T) % kBlock) {
    machine.Broken("transpose_shape",
                   "cSize or hSize * wSize exceeds 4095, or a plane is no multiple of 32 bytes",
                   "split or pad the planes");
    return;
  }
  const auto* from = static_cast<const uint8_t*>(instr.src0);
  const auto* to = static_cast<const uint8_t*>(instr.dst);
  if (from < to + bytes && to < from + bytes)
    machine.Broken("transpose_overlap", "source and destination share memory",
                   "write to another buffer");
  if (bytes == 0 || !machine.Read(instr.src0, bytes) || !machine.Write(instr.dst, bytes)) return;
  std::vector<T> in(n * image);
  std::memcpy(in.data(), instr.src0, bytes);
  T* out = static_cast<T*>(instr.dst);
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < c; ++i)
      for (size_t j = 0; j < plane; ++j) {
        const size_t channel_first = k * image + i * plane + j,
                     channel_last = k * image + j * c + i;
        if (instr.aux[0] == 1)
          out[channel_last] = in[channel_first];
        else
          out[channel_first] = in[channel_last];
      }
}

// 16 rows of one DataBlock each, column k goes to destination row k: 16-bit 16x16; 8-bit one half
// of each row (mode bit 0: destination half, bit 1: source half); 32-bit 16x8, column k filling
// destination rows 2k and 2k + 1.
template <class T>
struct Rows {
  static constexpr uint32_t kBytes = sizeof(T) == 1 ? 16 : kBlock;  // of a row
  static constexpr uint32_t kCols = kBytes / sizeof(T);
};

template <class T>
void TransposeRows(const T (&in)[16][Rows<T>::kCols], T (&out)[16][Rows<T>::kCols]) {
  if constexpr (sizeof(T) == 4) {
    for (uint32_t k = 0; k < 8; ++k)
      for (uint32_t i = 0; i < 16; ++i) out[2 * k + i / 8][i % 8] = in[i][k];
  } else {
    for (uint32_t k = 0; k < 16; ++k)
      for (uint32_t i = 0; i < 16; ++i) out[k][i] = in[i][k];
  }
}

// A single repeat starts one stride into the lists' addresses; several start at the addresses
// themselves (TransDataTo5HDParams table).
template <class T>
void RunTrans5Hd(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kBytes = Rows<T>::kBytes;
  uint64_t dst[16], src[16];
  std::memcpy(dst, reinterpret_cast<const void*>(instr.aux[0]), sizeof dst);
  std::memcpy(src, reinterpret_cast<const void*>(instr.aux[1]), sizeof src);
  const uint32_t first = instr.repeat == 1 ? 1 : 0;
  const uint32_t dst_half = sizeof(T) == 1 && (instr.mode & 1) ? 16 : 0;
  const uint32_t src_half = sizeof(T) == 1 && (instr.mode & 2) ? 16 : 0;
  for (uint32_t r = 0; r < instr.repeat; ++r) {
    T in[16][Rows<T>::kCols], out[16][Rows<T>::kCols];
    Announcer reads(machine, false), writes(machine, true);
    auto from = [&](uint32_t i) {
      return Behind(reinterpret_cast<uint8_t*>(src[i]),
                    size_t(r + first) * instr.src0_rep * kBlock + src_half);
    };
    auto to = [&](uint32_t i) {
      return Behind(reinterpret_cast<uint8_t*>(dst[i]),
                    size_t(r + first) * instr.dst_rep * kBlock + dst_half);
    };
    for (uint32_t i = 0; i < 16; ++i) reads.Add(from(i), kBytes);
    if (!reads.Done()) return;
    for (uint32_t i = 0; i < 16; ++i) writes.Add(to(i), kBytes);
    if (!writes.Done()) return;
    for (uint32_t i = 0; i < 16; ++i) std::memcpy(in[i], from(i), kBytes);
    TransposeRows<T>(in, out);
    for (uint32_t i = 0; i < 16; ++i) std::memcpy(to(i), out[i], kBytes);
  }
}

// aux[0] = second destination. Interleave: a0 b0 a1 b1 …, the first half of the sequence to dst,
// the second to aux[0]; DeInterleave undoes it.
template <class T, bool kUndo>
void RunInterleave(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t n = instr.count;
  const size_t bytes = size_t(n) * sizeof(T);
  T* d0 = static_cast<T*>(instr.dst);
  T* d1 = reinterpret_cast<T*>(instr.aux[0]);
  if (n == 0 || !machine.Read(instr.src0, bytes) || !machine.Read(instr.src1, bytes) ||
      !machine.Write(d0, bytes) || !machine.Write(d1, bytes))
    return;
  std::vector<T> a(n), b(n);
  std::memcpy(a.data(), instr.src0, bytes);
  std::memcpy(b.data(), instr.src1, bytes);
  for (uint32_t i = 0; i < 2 * n; ++i) {
    if constexpr (kUndo)
      (i % 2 ? d1 : d0)[i / 2] = i < n ? a[i] : b[i - n];
    else
      (i < n ? d0[i] : d1[i - n]) = i % 2 ? b[i / 2] : a[i / 2];
  }
}

// CastDequant, one scale for all: x * scale + offset, rounded to nearest even and saturated. The
// chip keeps 10 fraction bits of the scale (SetDeqScale page). 16 elements of a source DataBlock
// fill half a destination DataBlock.
template <class I>
void RunCastDeq(VecMachine& machine, const AkgenVec& instr) {
  if (instr.flag) {
    machine.Broken("cast_deq_vector", "isVecDeq needs the vector form of SetDeqScale",
                   "pass isVecDeq = false");
    return;
  }
  const Extent& x = machine.extent();
  const RunArgs args = machine.args();
  const Operand s =
      Operand::Of(instr.src0, 2, 128, instr.src0_blk, instr.src0_rep, CountForm(instr));
  // A destination DataBlock stands for 16 elements of one byte in its half.
  const Operand d = Operand::Of(static_cast<uint8_t*>(instr.dst) + (instr.mode ? 16 : 0), 2, 128,
                                instr.dst_blk, instr.dst_rep, CountForm(instr));
  auto to = [&](uint32_t r, uint32_t e) { return d.At(r, e / 16 * 16) + e % 16; };
  if (x.repeats == 0 || !Announce(machine, s, false)) return;
  Announcer out(machine, true);
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t e = 0; e < 128; ++e)
      if (x.Active(r, e)) out.Add(to(r, e), 1);
  if (!out.Done()) return;
  const double scale = std::bit_cast<float>(std::bit_cast<uint32_t>(args.deq_scale) & 0xffffe000u);
  constexpr double kLow = std::numeric_limits<I>::min(), kHigh = std::numeric_limits<I>::max();
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t e = 0; e < 128; ++e) {
      if (!x.Active(r, e)) continue;
      int16_t v;
      std::memcpy(&v, s.At(r, e), 2);
      const double q = std::rint(v * scale + args.deq_offset);
      const I byte = q > kHigh ? I(kHigh) : q >= kLow ? I(q) : q < kLow ? I(kLow) : I(0);
      std::memcpy(to(r, e), &byte, 1);
    }
}

}  // namespace

OwnFn FindShuffle(const AkgenVec& instr) {
  static const OwnRow kRows[] = {
      {AKGEN_OP_CreateVecIndex, AKGEN_F16, RunCreateVecIndex<F16>},
      {AKGEN_OP_CreateVecIndex, AKGEN_F32, RunCreateVecIndex<float>},
      {AKGEN_OP_CreateVecIndex, AKGEN_I16, RunCreateVecIndex<int16_t>},
      {AKGEN_OP_CreateVecIndex, AKGEN_I32, RunCreateVecIndex<int32_t>},
      {AKGEN_OP_CastDeq, AKGEN_I8, RunCastDeq<int8_t>},
      {AKGEN_OP_CastDeq, AKGEN_U8, RunCastDeq<uint8_t>},
  };
  if (OwnFn run = PickOwn(kRows, instr.op, instr.dst_type)) return run;
  const uint32_t size = SizeOfType(instr.dst_type);
  switch (instr.op) {
    case AKGEN_OP_Brcb:
      return size == 2 ? RunBrcb<uint16_t> : size == 4 ? RunBrcb<uint32_t> : nullptr;
    case AKGEN_OP_Transpose:
      if (instr.aux[0] == 0) return size == 2 ? RunTranspose : nullptr;
      return size == 1   ? RunTranspose4d<uint8_t>
             : size == 2 ? RunTranspose4d<uint16_t>
             : size == 4 ? RunTranspose4d<uint32_t>
                         : nullptr;
    case AKGEN_OP_TransDataTo5HD:
      return size == 1   ? RunTrans5Hd<uint8_t>
             : size == 2 ? RunTrans5Hd<uint16_t>
             : size == 4 ? RunTrans5Hd<uint32_t>
                         : nullptr;
    case AKGEN_OP_Interleave:
      return size == 2   ? RunInterleave<uint16_t, false>
             : size == 4 ? RunInterleave<uint32_t, false>
                         : nullptr;
    case AKGEN_OP_DeInterleave:
      return size == 2   ? RunInterleave<uint16_t, true>
             : size == 4 ? RunInterleave<uint32_t, true>
                         : nullptr;
    default: return nullptr;
  }
}

}  // namespace akgen::sim
