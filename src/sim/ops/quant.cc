// AscendQuant and AscendDequant. Working steps and roundings are those that the documentation
// names.
#include <algorithm>

#include "sim/ops/round.h"
#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

float FloatBits(uint64_t bits) { return ScalarOf<float>(bits); }

// A source of an element-wise function: element i, or the same one every `period` elements.
struct Part {
  const void* at;
  uint32_t size, period;  // bytes; elements, 0: as long as the result
};

// dst element i is undefined when one of its sources is.
template <size_t N>
void MarkUndefined(VecMachine& machine, uint8_t* dst, uint32_t dst_size, uint32_t n,
                   const Part (&parts)[N]) {
  const bool whole = std::all_of(parts, parts + N, [&](const Part& p) {
    return !p.at || machine.Defined(p.at, size_t(p.period ? std::min(p.period, n) : n) * p.size);
  });
  for (uint32_t i = 0; i < n; ++i) {
    const bool defined =
        whole || std::all_of(parts, parts + N, [&](const Part& p) {
          return !p.at || machine.Defined(static_cast<const uint8_t*>(p.at) +
                                              size_t(p.period ? i % p.period : i) * p.size,
                                          p.size);
        });
    machine.SetDefined(dst + size_t(i) * dst_size, whole ? size_t(n) * dst_size : dst_size,
                       defined);
    if (whole) return;
  }
}

void ClobberTmp(VecMachine& machine, const AkgenVec& instr, uint32_t n) {
  if (size_t used = TmpUse(instr, n)) machine.Clobber(instr.tmp, used);
}

// Source, scale and offset become half, the product and the sum are half, and the sum is rounded to
// the nearest int8.
template <class T>
void RunQuant(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t n = machine.extent().total, period = Low(instr.aux[2]);
  const T* src = static_cast<const T*>(instr.src0);
  const T* scales = static_cast<const T*>(instr.src1);
  const T* offsets = reinterpret_cast<const T*>(instr.aux[0]);
  if (n == 0) return;
  if (scales && (period == 0 || n % period)) {
    machine.Broken("channels", "calCount is not a multiple of scaleCount", "quantise whole rows");
    return;
  }
  if (scales && period % kBlock)
    machine.Broken("channels", "scaleCount is no multiple of 32",
                   "pad the channels to a multiple of 32");
  if (!machine.Read(src, size_t(n) * sizeof(T)) ||
      (scales && !machine.Read(scales, size_t(period) * sizeof(T))) ||
      (offsets && !machine.Read(offsets, size_t(period) * sizeof(T))) ||
      !machine.Write(instr.dst, n))
    return;
  ClobberTmp(machine, instr, n);
  int8_t* d = static_cast<int8_t*>(instr.dst);
  const F16 scale = F16(FloatBits(instr.scalar)), offset = F16(FloatBits(instr.aux[1]));
  for (uint32_t i = 0; i < n; ++i) {
    const F16 k = scales ? F16(Up(scales[i % period])) : scale,
              o = offsets ? F16(Up(offsets[i % period])) : offset;
    const F16 product = F16(Up(F16(Up(src[i]))) * Up(k));
    d[i] = Saturate<int8_t>(std::rint(Up(F16(Up(product) + Up(o)))));
  }
  MarkUndefined(machine, reinterpret_cast<uint8_t*>(d), 1, n,
                {{src, sizeof(T), 0}, {scales, sizeof(T), period}, {offsets, sizeof(T), period}});
}

float ScaleAt(const AkgenVec& instr, uint32_t i) {
  if (!instr.src1) return FloatBits(instr.scalar);
  switch (instr.src1_type) {
    case AKGEN_BF16: return Up(static_cast<const Bf16*>(instr.src1)[i]);
    case AKGEN_U64:
      return FloatBits(
          static_cast<const uint64_t*>(instr.src1)[i]);  // the upper half is not looked at
    default: return static_cast<const float*>(instr.src1)[i];
  }
}

// Source and scale become float, the product is rounded to the result's dtype. Rows of the result
// are whole DataBlocks; what lies behind the elements asked for is left undefined.
template <class T>
void RunDequant(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t rows = Low(instr.aux[0]), cols = High(instr.aux[0]), n = Low(instr.aux[1]);
  const uint32_t pitch =
      (cols * uint32_t(sizeof(T)) + kBlock - 1) / kBlock * kBlock / uint32_t(sizeof(T));
  const uint32_t scale_size = instr.src1 ? SizeOfType(instr.src1_type) : 0;
  if (rows == 0 || n == 0) return;
  if (n > cols || cols % 8) {
    machine.Broken("rows", "a row's length is no multiple of 32 bytes, or calCount exceeds it",
                   "pad the rows of the source");
    return;
  }
  if (instr.src1 && !machine.Read(instr.src1, size_t(n) * scale_size)) return;
  const int32_t* src = static_cast<const int32_t*>(instr.src0);
  T* dst = static_cast<T*>(instr.dst);
  Announcer in(machine, false), out(machine, true);
  for (uint32_t r = 0; r < rows; ++r)
    in.Add(Behind(reinterpret_cast<uint8_t*>(const_cast<int32_t*>(src)), size_t(r) * cols * 4),
           size_t(n) * 4);
  for (uint32_t r = 0; r < rows; ++r)
    out.Add(Behind(reinterpret_cast<uint8_t*>(dst), size_t(r) * pitch * sizeof(T)),
            pitch * sizeof(T));
  if (!in.Done() || !out.Done()) return;
  ClobberTmp(machine, instr, 0);
  for (uint32_t r = 0; r < rows; ++r) {
    const int32_t* s = src + size_t(r) * cols;
    T* d = dst + size_t(r) * pitch;
    for (uint32_t i = 0; i < n; ++i) d[i] = Down<T>(float(s[i]) * ScaleAt(instr, i));
    MarkUndefined(machine, reinterpret_cast<uint8_t*>(d), sizeof(T), n,
                  {{s, 4, 0}, {instr.src1, scale_size, 0}});
    machine.SetDefined(d + n, (pitch - n) * sizeof(T), false);
  }
}
}  // namespace

OwnFn FindQuant(const AkgenVec& instr) {
  if (instr.op == AKGEN_OP_Quant)
    return instr.src_type == AKGEN_F16 ? RunQuant<F16> : RunQuant<float>;
  if (instr.op != AKGEN_OP_Dequant) return nullptr;
  switch (instr.dst_type) {
    case AKGEN_F16: return RunDequant<F16>;
    case AKGEN_F32: return RunDequant<float>;
    case AKGEN_BF16: return RunDequant<Bf16>;
    default: return nullptr;
  }
}

}  // namespace akgen::sim
