// The other library functions of many operands: logarithms of softmax, the largest of each row,
// padding, dropping, dequantising.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/ops/library.h"

namespace akgen::sim {
namespace {

using Row = std::vector<float>;

// As documented, the logarithm is the one to base 10.
void RunLogSoftMax(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2),
                 size = SizeOfType(v.src_type), block = kBlock / size;
  const Part y = call.Operand(0, v.src_type, rows, pitch, n),
             sums = call.Operand(1, v.src_type, rows, block, block),
             maxima = call.Operand(2, v.src_type, rows, block, block),
             x = call.Operand(3, v.src_type, rows, pitch, n);
  if (!call.WholeBlocks(pitch)) return;
  for (const Part& p : {y, sums, maxima}) call.Out(p);
  call.In(x);
  if (!call.Begin(LogSoftMaxTmp(rows, pitch, size))) return;
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined = call.AllDefined() || call.Defined(x, r);
    Row data = call.Load(x, r);
    const float top = Extreme<true>(data.data(), n, 0).value;
    for (float& e : data) e = std::exp(e - top);
    const float sum = SumRow<float>(data);
    for (float& e : data) e = std::log10(e / sum);
    call.Store(y, r, data);
    call.Store(sums, r, Row(block, sum));
    call.Store(maxima, r, Row(block, top));
    if (call.AllDefined()) continue;
    for (const Part& p : {y, sums, maxima}) call.Mark(p, r, defined);
  }
}

// exp(x - maximum) / sum.
void RunSimpleSoftMax(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2),
                 block = kBlock / SizeOfType(v.src1_type);
  const Part y = call.Operand(0, v.src_type, rows, pitch, n),
             sums = call.Operand(1, v.src1_type, rows, block, 1),
             maxima = call.Operand(2, v.src1_type, rows, block, 1),
             x = call.Operand(3, v.src_type, rows, pitch, n);
  if (!call.WholeBlocks(pitch)) return;
  call.Out(y, true);
  for (const Part& p : {sums, maxima, x}) call.In(p);
  if (!call.Begin({LogSoftMaxTmp(rows, pitch, SizeOfType(v.src_type)).max, 0})) return;
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined = call.AllDefined() ||
                         (call.Defined(x, r) && call.Defined(sums, r) && call.Defined(maxima, r));
    Row data = call.Load(x, r);
    const float top = call.Load(maxima, r)[0], sum = call.Load(sums, r)[0];
    for (float& e : data) e = std::exp(e - top) / sum;
    call.Store(y, r, data);
    if (!call.AllDefined()) call.Mark(y, r, defined);
  }
}

// NaN comes first in both directions, then the larger (smaller) ones; of equal ones the earlier
// comes first.
void RunTopK(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool indexed = v.mode & 1, finishing = v.mode & 2, small = v.mode & 4, largest = v.mode & 8;
  const uint32_t rows = call.Low(1), inner = call.High(1), n = call.Low(2), k = call.High(2),
                 size = SizeOfType(v.src_type);
  if (inner == 0 || inner % 32 || n > inner || k == 0 || k > n ||
      (small ? inner != 32 : inner > 4096))
    return void(call.Broken(
        "lengths",
        "inner is no multiple of 32 up to 4096 (32 in the small mode), or n or k exceed it",
        "see TopKInfo"));
  if (small && finishing)
    return void(
        call.Broken("mode", "isHasfinish goes with the normal mode", "use TopKMode::TOPK_NORMAL"));
  const Part values = call.Operand(0, v.src_type, rows, small ? k : UpTo(k, kBlock / size), k),
             indices = call.Operand(1, AKGEN_I32, rows, small ? k : UpTo(k, 8), k),
             x = call.Operand(2, v.src_type, rows, inner, inner),
             given = call.Operand(3, AKGEN_I32, small ? rows : 1, inner, inner),
             finished = call.Operand(4, AKGEN_U8, rows);
  call.Out(values);
  call.Out(indices);
  call.In(x);
  if (indexed) call.In(given);
  if (finishing) call.In(finished);
  if (!call.Begin(TopKTmp(inner, rows, small, indexed, largest))) return;
  std::vector<uint32_t> order(inner);
  for (uint32_t r = 0; r < rows; ++r) {
    const uint32_t list = small ? r : 0;
    const bool defined =
        call.AllDefined() || (call.Defined(x, r) && (!indexed || call.Defined(given, list)) &&
                              (!finishing || machine.Defined(finished.at + r, 1)));
    const Row data = call.Load(x, r);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (std::isnan(data[a]) || std::isnan(data[b]))
        return std::isnan(data[a]) && !std::isnan(data[b]);
      return largest ? data[a] > data[b] : data[a] < data[b];
    });
    auto* index = reinterpret_cast<int32_t*>(indices.Row(r));
    for (uint32_t i = 0; i < k; ++i) {
      std::memcpy(values.Row(r) + i * size, x.Row(r) + order[i] * size, size);
      index[i] =
          indexed ? reinterpret_cast<const int32_t*>(given.Row(list))[order[i]] : int32_t(order[i]);
      if (finishing && finished.at[r]) index[i] = int32_t(n);
    }
    if (call.AllDefined()) continue;
    call.Mark(values, r, defined);
    call.Mark(indices, r, defined);
  }
}

// Copies `n` elements of a row and their definedness.
void CopyRow(VecMachine& machine, uint8_t* to, const uint8_t* from, uint32_t n, uint32_t size) {
  std::memmove(to, from, size_t(n) * size);
  for (uint32_t i = 0; i < n * size; ++i)
    machine.SetDefined(to + i, 1, machine.Defined(from + i, 1));
}

// Width to the next multiple of 32 bytes; a width that is one already has its unused last columns
// filled.
void RunPad(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), width = call.High(1), used = call.Low(2), left = call.High(2),
                 right = call.Low(3);
  const uint32_t size = SizeOfType(v.src_type), block = kBlock / size;
  const bool aligned = width % block == 0;
  if (size_t(rows) * width % block)
    return void(call.Broken("padding", "the source is no multiple of 32 bytes",
                            "pad as many rows as fill 32 bytes"));
  if (aligned ? left != 0 || used >= width || right != width - used
              : left + width + right > UpTo(width, block))
    return void(
        call.Broken("padding", "the padding is none that Pad does",
                    "fill the unused last columns, or pad to the next multiple of 32 bytes"));
  const uint32_t to = aligned ? width : left + width + right, kept = aligned ? used : width;
  const Part y = call.Operand(0, v.src_type, rows, to, to),
             x = call.Operand(1, v.src_type, rows, width, kept);
  call.Out(y);
  call.In(x);
  if (!call.Begin(PadTmp(rows, width))) return;
  const int32_t padding = int32_t(call.High(3));
  uint8_t filler[4];
  const F16 half = F16(padding);
  const float single = float(padding);
  std::memcpy(filler,
              v.src_type == AKGEN_F16   ? static_cast<const void*>(&half)
              : v.src_type == AKGEN_F32 ? &single
                                        : static_cast<const void*>(&padding),
              size);
  for (uint32_t r = 0; r < rows; ++r) {
    for (uint32_t i = 0; i < to; ++i) {
      std::memcpy(y.Row(r) + i * size, filler, size);
      call.MarkElement(y, r * to + i, true);
    }
    CopyRow(machine, y.Row(r) + left * size, x.Row(r), kept, size);
  }
}

void RunUnPad(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), width = call.High(1), right = call.Low(2),
                 size = SizeOfType(v.src_type);
  if (width % (kBlock / size) || right == 0 || right >= kBlock / size || right >= width)
    return void(call.Broken("padding",
                            "UnPad takes rows of whole DataBlocks and drops less than one",
                            "see UnPadParams"));
  const Part y = call.Operand(0, v.src_type, rows, width - right, width - right),
             x = call.Operand(1, v.src_type, rows, width, width - right);
  call.Out(y);
  call.In(x);
  if (!call.Begin({})) return;
  for (uint32_t r = 0; r < rows; ++r) CopyRow(machine, y.Row(r), x.Row(r), width - right, size);
}

// Place of an element of a matrix in NZ: fractals of 16 columns, each of all rows.
size_t InNz(size_t row, size_t column, size_t rows) {
  return (column / 16 * rows + row) * 16 + column % 16;
}

// Where element (b, n, s, d) lies in the source and in the result of a TransposeType.
struct Heads {
  size_t n, s, d;
  uint32_t type;
  bool Splits() const { return type == 3 || type == 4; }
  size_t Split(size_t b, size_t i, size_t r, size_t c) const {
    return (b * n + i) * s * d + InNz(r, c, s);
  }
  size_t Merged(size_t b, size_t i, size_t r, size_t c) const {
    return b * s * n * d + InNz(r, i * d + c, s);
  }
  size_t From(size_t b, size_t i, size_t r, size_t c) const {
    return type == 7 ? r * d + c : Splits() ? Merged(b, i, r, c) : Split(b, i, r, c);
  }
  size_t To(size_t b, size_t i, size_t r, size_t c) const {
    switch (type) {
      case 2: return (b * s + r) * n * d + InNz(i, c, n);
      case 3: return Split(b, i, r, c);
      case 4: return ((b * n + i) * s + r) * d + c;
      case 6: return Merged(b, i, r, c);
      case 7: return c * s + r;
      default: return (b * s + r) * n * d + i * d + c;  // 1, 5
    }
  }
};

void RunConfusionTranspose(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const size_t batches = call.Low(1);
  const Heads heads{call.High(1), call.Low(2), call.High(2), call.Low(3)};
  const uint32_t size = SizeOfType(v.src_type);
  constexpr size_t kLimit = 1 << 20;  // more than any Unified Buffer holds
  const bool bounded = batches <= kLimit && heads.n <= kLimit && heads.s <= kLimit &&
                       heads.d <= kLimit && batches * heads.n <= kLimit &&
                       heads.s * heads.d <= kLimit;
  const size_t all = bounded ? batches * heads.n * heads.s * heads.d : 0;
  if (all == 0 || all > kLimit || heads.s % 16 || heads.d % 16 || (heads.type == 2 && heads.n % 16))
    return void(call.Broken(
        "transpose_shape", "the extents that are cut into fractals are no multiples of 16",
        "pad them; the tiling is that of the host function for this shape and type"));
  const Part y = call.Operand(0, v.src_type, uint32_t(all)),
             x = call.Operand(1, v.src_type, uint32_t(all));
  call.Out(y);
  call.In(x);
  if (!call.Begin(ConfusionTransposeTmp(heads.type, uint32_t(heads.s), size))) return;
  for (size_t b = 0; b < batches; ++b)
    for (size_t i = 0; i < heads.n; ++i)
      for (size_t r = 0; r < heads.s; ++r)
        for (size_t c = 0; c < heads.d; ++c)
          CopyRow(machine, y.at + heads.To(b, i, r, c) * size, x.at + heads.From(b, i, r, c) * size,
                  1, size);
}

// 1, 2: a byte for each element, 3, 4: a bit (the lowest first, as Select takes them); with 1 and 4
// each row of the mask has its own start, with 2 and 3 the mask has no gaps.
void RunDropOut(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), n = call.High(1), mask_row = call.Low(2);
  const bool bits = v.mode >= 3, gaps = v.mode == 1 || v.mode == 4;
  const uint32_t need = bits ? (n + 7) / 8 : n;
  if (v.mode < 1 || v.mode > 4 || (gaps && (mask_row < need || n % 2)))
    return void(call.Broken(
        "mask",
        "the mask is shorter than the rows of the data, or with gaps in it the rows are odd",
        "see DropOutShapeInfo"));
  const Part y = call.Operand(0, v.src_type, rows * n), x = call.Operand(1, v.src_type, rows * n),
             mask = gaps ? call.Operand(2, AKGEN_U8, rows, mask_row, need)
                         : call.Operand(2, AKGEN_U8, bits ? (rows * n + 7) / 8 : rows * n);
  call.Out(y, true);
  call.In(x);
  call.In(mask);
  if (!call.Begin(DropOutTmp(rows * n))) return;
  const float scale = v.src_type == AKGEN_F16 ? Up(F16(call.Scalar())) : call.Scalar();
  Row data = call.Load(x);
  const uint32_t size = SizeOfType(v.src_type);
  for (uint32_t i = 0; i < rows * n; ++i) {
    const uint32_t at = gaps ? i % n : i;
    const uint8_t* from = gaps ? mask.Row(i / n) : mask.at;
    const bool keep = bits ? from[at / 8] >> at % 8 & 1 : from[at] != 0;
    const bool defined =
        call.AllDefined() || (machine.Defined(from + (bits ? at / 8 : at), 1) &&
                              (!keep || machine.Defined(x.at + size_t(i) * size, size)));
    data[i] = keep ? data[i] * scale : 0.0f;
    call.Store(y, i, data[i]);
    if (!call.AllDefined()) call.MarkElement(y, i, defined);
  }
}

// (x + offset) * scale: in half each step is rounded, to bfloat16 the steps are in float.
void RunAntiQuant(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool transposed = v.mode & 1, no_offset = v.mode & 2,
             per_tensor = reinterpret_cast<const uint64_t*>(v.aux[0])[3] == 0;
  const uint32_t rows = call.Low(1), cols = call.High(1), scale_rows = per_tensor ? 1 : call.Low(2),
                 scale_cols = per_tensor ? 1 : call.High(2);
  if (!per_tensor && (scale_rows == 0 || scale_cols == 0 || rows % scale_rows || cols % scale_cols))
    return void(call.Broken("groups",
                            "rows or columns of the source are no multiple of those of the scales",
                            "see AntiQuantShapeInfo"));
  const Part y = call.Operand(0, v.dst_type, rows * cols),
             x = call.Operand(1, AKGEN_I8, rows * cols),
             offsets = call.Operand(2, v.dst_type, scale_rows * scale_cols),
             scales = call.Operand(3, v.dst_type, scale_rows * scale_cols);
  call.Out(y);
  call.In(x);
  if (!per_tensor && !no_offset) call.In(offsets);
  if (!per_tensor) call.In(scales);
  const bool half = v.dst_type == AKGEN_F16;
  if (size_t(rows) * cols % kBlock || (transposed && cols % kBlock))
    return void(call.Broken("lengths",
                            "the source, or k where it is transposed, is no multiple of 32 bytes",
                            "pad it"));
  if (!call.Begin(AntiQuantTmp(rows * cols, rows, scale_rows * scale_cols, transposed, half)))
    return;
  auto step = [&](float value) { return half ? Up(F16(value)) : value; };
  const Row k = per_tensor ? Row{ScalarOf<float>(call.High(3))} : call.Load(scales);
  const Row o = no_offset    ? Row(k.size(), 0.0f)
                : per_tensor ? Row{ScalarOf<float>(call.Low(3))}
                             : call.Load(offsets);
  const bool shared = per_tensor || (call.Defined(scales) && (no_offset || call.Defined(offsets)));
  const Row data = call.Load(x);
  for (uint32_t i = 0; i < rows * cols; ++i) {
    const uint32_t at =
        i / cols / (rows / scale_rows) * scale_cols + i % cols / (cols / scale_cols);
    call.Store(y, i, step(step(data[i] + o[at]) * k[at]));
    if (!call.AllDefined()) call.MarkElement(y, i, shared && machine.Defined(x.at + i, 1));
  }
}

template <class T, class Wide>
void RunArange(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const Part y = call.Operand(0, v.dst_type, call.Low(1));
  call.Out(y);
  if (!call.Begin({})) return;
  const Wide first = Wide(Up(ScalarOf<T>(v.aux[2]))), difference = Wide(Up(ScalarOf<T>(v.aux[3])));
  for (uint32_t i = 0; i < y.n; ++i) {
    T value;
    if constexpr (kIsFloat<T>)
      value = DownOnce<T>(first + difference * Wide(i));
    else
      value = T(first + difference * Wide(i));
    std::memcpy(y.at + i * sizeof(T), &value, sizeof(T));
  }
}

// The differing bits of two rows, as int16, summed in float; beyond int16 the sum stays at its end.
void RunReduceXorSum(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t n = call.Low(1);
  const Part y = call.Operand(0, AKGEN_I16, 1), x0 = call.Operand(1, AKGEN_I16, n),
             x1 = call.Operand(2, AKGEN_I16, n);
  call.Out(y);
  call.In(x0);
  call.In(x1);
  if (n == 0 || !call.Begin(ReduceXorSumTmp(n, 2, v.flag))) return;
  const auto* a = reinterpret_cast<const int16_t*>(x0.at);
  const auto* b = reinterpret_cast<const int16_t*>(x1.at);
  Row differing(n);
  for (uint32_t i = 0; i < n; ++i) differing[i] = float(int16_t(a[i] ^ b[i]));
  const auto sum = int16_t(std::clamp(SumRow<float>(differing), -32768.0f, 32767.0f));
  std::memcpy(y.at, &sum, sizeof sum);
  if (!call.AllDefined()) call.Mark(y, 0, false);
}
}  // namespace

OwnFn FindLibrary(const AkgenVec& v) {
  switch (v.op) {
    case AKGEN_OP_LogSoftMax: return RunLogSoftMax;
    case AKGEN_OP_SimpleSoftMax: return IsShortOrSingle(v.src1_type) ? RunSimpleSoftMax : nullptr;
    case AKGEN_OP_TopK: return RunTopK;
    case AKGEN_OP_DropOut: return RunDropOut;
    case AKGEN_OP_Pad: return RunPad;
    case AKGEN_OP_UnPad: return RunUnPad;
    case AKGEN_OP_ConfusionTranspose: return RunConfusionTranspose;
    case AKGEN_OP_AntiQuant: return RunAntiQuant;
    case AKGEN_OP_ReduceXorSum: return RunReduceXorSum;
    case AKGEN_OP_Arange:
      switch (v.dst_type) {
        case AKGEN_F16: return RunArange<F16, double>;
        case AKGEN_F32: return RunArange<float, double>;
        case AKGEN_I16: return RunArange<int16_t, int64_t>;
        case AKGEN_I32: return RunArange<int32_t, int64_t>;
        default: return nullptr;
      }
    case AKGEN_OP_SoftmaxFlash:
    case AKGEN_OP_SoftmaxFlashMean: return FindFlash(v);
    case AKGEN_OP_TransData: return FindTransData(v);
    default: return FindReduction(v);
  }
}

}  // namespace akgen::sim
