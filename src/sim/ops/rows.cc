// Advanced functions over the rows of a matrix in UB.
#include "sim/ops/tree.h"

namespace akgen::sim {
namespace {

// Announces n elements of each of `rows` rows that lie `pitch` elements apart.
template <class T>
bool ReadRows(VecMachine& machine, const void* base, uint32_t rows, uint32_t pitch, uint32_t n) {
  Announcer in(machine, false);
  uint8_t* at = static_cast<uint8_t*>(const_cast<void*>(base));
  for (uint32_t r = 0; r < rows; ++r)
    in.Add(Behind(at, size_t(r) * pitch * sizeof(T)), size_t(n) * sizeof(T));
  return in.Done();
}
template <class T>
bool WriteRows(VecMachine& machine, void* base, uint32_t rows, uint32_t pitch, uint32_t n) {
  Announcer out(machine, true);
  uint8_t* at = static_cast<uint8_t*>(base);
  for (uint32_t r = 0; r < rows; ++r)
    out.Add(Behind(at, size_t(r) * pitch * sizeof(T)), size_t(n) * sizeof(T));
  return out.Done();
}

void ClobberTmp(VecMachine& machine, const AkgenVec& instr) {
  if (size_t used = TmpUse(instr, 0)) machine.Clobber(instr.tmp, used);
}

// Rows begin at DataBlocks. False: they do not, and it is said.
bool WholeBlocks(VecMachine& machine, uint32_t pitch, size_t size) {
  if (pitch * size % kBlock == 0) return true;
  machine.Broken("row_length", "rows are no multiple of 32 bytes",
                 "pad them to the next multiple of 32 bytes");
  return false;
}

template <class T, bool kMean>
void RunSumRows(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t rows = Low(instr.aux[0]), pitch = Low(instr.aux[1]), n = Low(instr.aux[2]);
  if (n > pitch)
    machine.Broken("row_length", "n exceeds inner", "inner is n, rounded up to 32 bytes");
  if (rows == 0 || n == 0 || !WholeBlocks(machine, pitch, sizeof(T)) ||
      !ReadRows<T>(machine, instr.src0, rows, pitch, n))
    return;
  const T* s = static_cast<const T*>(instr.src0);
  std::vector<T> result(rows);
  for (uint32_t r = 0; r < rows; ++r) {
    std::vector<float> v(n);
    for (uint32_t i = 0; i < n; ++i) v[i] = Up(s[size_t(r) * pitch + i]);
    float sum = instr.flag ? SumRow<float>(std::move(v)) : SumRow<T>(std::move(v));
    result[r] = Down<T>(kMean ? sum / float(n) : sum);
  }
  ClobberTmp(machine, instr);
  if (!machine.Write(instr.dst, rows * sizeof(T))) return;
  std::memcpy(instr.dst, result.data(), rows * sizeof(T));
}

// Half is summed in float and each prefix rounded once.
template <class T>
void RunCumSum(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t rows = Low(instr.aux[0]), cols = Low(instr.aux[1]);
  const size_t bytes = size_t(rows) * cols * sizeof(T);
  if (bytes == 0 || !WholeBlocks(machine, cols, sizeof(T)) || !machine.Read(instr.src0, bytes))
    return;
  ClobberTmp(machine, instr);
  if (!machine.Write(instr.dst, bytes)) return;
  const T* s = static_cast<const T*>(instr.src0);
  T* d = static_cast<T*>(instr.dst);
  std::vector<float> sums(instr.aux[2] ? rows : cols, -0.0f);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < cols; ++c) {
      float& sum = sums[instr.aux[2] ? r : c];
      sum += Up(s[size_t(r) * cols + c]);
      d[size_t(r) * cols + c] = Down<T>(sum);
    }
}

// One dimension: a single element to all; axis 0: one row to all rows; axis 1: one column to all
// columns.
template <class T>
void RunBroadCast(VecMachine& machine, const AkgenVec& instr) {
  const bool flat = instr.aux[0] == 1;
  const uint32_t rows = flat ? 1 : Low(instr.aux[2]),
                 cols = flat ? Low(instr.aux[2]) : High(instr.aux[2]);
  const uint32_t src_rows = flat ? 1 : Low(instr.aux[3]),
                 src_cols = flat ? Low(instr.aux[3]) : High(instr.aux[3]);
  if ((src_rows != rows && src_rows != 1) || (src_cols != cols && src_cols != 1)) {
    machine.Broken("broadcast_shape", "a source size is neither 1 nor the destination's",
                   "give shapes that differ only where the source size is 1");
    return;
  }
  if (!flat && instr.aux[1] == 0 && !WholeBlocks(machine, src_cols, sizeof(T))) return;
  const size_t from = size_t(src_rows) * src_cols * sizeof(T), to = size_t(rows) * cols * sizeof(T);
  if (to == 0 || !machine.Read(instr.src0, from)) return;
  ClobberTmp(machine, instr);
  if (!machine.Write(instr.dst, to)) return;
  std::vector<T> s(size_t(src_rows) * src_cols);
  std::memcpy(s.data(), instr.src0, from);
  T* d = static_cast<T*>(instr.dst);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < cols; ++c)
      d[size_t(r) * cols + c] =
          s[size_t(src_rows == 1 ? 0 : r) * src_cols + (src_cols == 1 ? 0 : c)];
}

// One value filling a DataBlock of float or half.
void PutBlock(uint8_t* at, uint8_t type, float v) {
  if (type == AKGEN_F32) {
    for (uint32_t i = 0; i < 8; ++i) std::memcpy(at + 4 * i, &v, 4);
    return;
  }
  const F16 h = F16(v);
  for (uint32_t i = 0; i < 16; ++i) std::memcpy(at + 2 * i, &h, 2);
}

// Half works in float and is rounded at the end. Padding columns are neither read nor written.
template <class T>
void RunSoftMax(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t rows = Low(instr.aux[0]), pitch = Low(instr.aux[1]), n = Low(instr.aux[2]);
  uint8_t* maxima = reinterpret_cast<uint8_t*>(instr.aux[3]);
  uint8_t* sums = static_cast<uint8_t*>(const_cast<void*>(instr.src1));
  if (rows == 0 || n == 0 || !WholeBlocks(machine, pitch, sizeof(T)) ||
      !ReadRows<T>(machine, instr.src0, rows, pitch, n))
    return;
  ClobberTmp(machine, instr);
  if (!WriteRows<T>(machine, instr.dst, rows, pitch, n)) return;
  if ((maxima && !machine.Write(maxima, size_t(rows) * kBlock)) ||
      (sums && !machine.Write(sums, size_t(rows) * kBlock)))
    return;
  std::vector<float> v(n);
  for (uint32_t r = 0; r < rows; ++r) {
    const T* s = static_cast<const T*>(instr.src0) + size_t(r) * pitch;
    T* d = static_cast<T*>(instr.dst) + size_t(r) * pitch;
    for (uint32_t i = 0; i < n; ++i) v[i] = Up(s[i]);
    const float top = Extreme<true>(v.data(), n, 0).value;
    for (float& e : v) e = std::exp(e - top);
    const float sum = SumRow<float>(v);
    for (uint32_t i = 0; i < n; ++i) d[i] = Down<T>(v[i] / sum);
    if (maxima) PutBlock(maxima + size_t(r) * kBlock, instr.src1_type, top);
    if (sums) PutBlock(sums + size_t(r) * kBlock, instr.src1_type, sum);
  }
}

template <class T>
void RunSoftMaxGrad(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t rows = Low(instr.aux[0]), pitch = Low(instr.aux[1]), n = Low(instr.aux[2]);
  constexpr uint32_t kPerBlock = kBlock / sizeof(T);
  if (rows == 0 || n == 0 || !WholeBlocks(machine, pitch, sizeof(T)) ||
      !ReadRows<T>(machine, instr.src0, rows, pitch, n) ||
      !ReadRows<T>(machine, instr.src1, rows, pitch, n))
    return;
  ClobberTmp(machine, instr);
  const uint32_t out_pitch = instr.flag ? kPerBlock : pitch;
  if (!WriteRows<T>(machine, instr.dst, rows, out_pitch, instr.flag ? kPerBlock : n)) return;
  std::vector<float> v(n);
  for (uint32_t r = 0; r < rows; ++r) {
    const T* g = static_cast<const T*>(instr.src0) + size_t(r) * pitch;
    const T* y = static_cast<const T*>(instr.src1) + size_t(r) * pitch;
    T* d = static_cast<T*>(instr.dst) + size_t(r) * out_pitch;
    for (uint32_t i = 0; i < n; ++i) v[i] = Up(g[i]) * Up(y[i]);
    const float sum = SumRow<float>(v);
    if (instr.flag) {
      for (uint32_t i = 0; i < kPerBlock; ++i) d[i] = Down<T>(sum);
    } else {
      for (uint32_t i = 0; i < n; ++i) d[i] = Down<T>((Up(g[i]) - sum) * Up(y[i]));
    }
  }
}

// The mask has its own row pitch; its elements beyond the data's columns are not looked at.
template <class T>
void RunSelectBytes(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t rows = Low(instr.aux[1]), cols = High(instr.aux[1]), pitch = Low(instr.aux[2]);
  const uint32_t size = SizeOfType(instr.src1_type);
  const uint8_t* mask = reinterpret_cast<const uint8_t*>(instr.aux[0]);
  const size_t bytes = size_t(rows) * cols * sizeof(T);
  constexpr uint32_t kMaskUnit = 16;  // elements
  if (pitch < cols || pitch % kMaskUnit || pitch * size % kBlock) {
    machine.Broken("mask_rows",
                   "rows of the mask are shorter than those of the data, or no multiple of 16 "
                   "elements and 32 bytes",
                   "pad the rows of the mask");
    return;
  }
  if (bytes == 0 || !WholeBlocks(machine, cols, sizeof(T)) || !machine.Read(instr.src0, bytes))
    return;
  Announcer in(machine, false);
  for (uint32_t r = 0; r < rows; ++r)
    in.Add(Behind(const_cast<uint8_t*>(mask), size_t(r) * pitch * size), size_t(cols) * size);
  if (!in.Done()) return;
  ClobberTmp(machine, instr);
  if (!machine.Write(instr.dst, bytes)) return;
  const T scalar = ScalarOf<T>(instr.scalar);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < cols; ++c) {
      uint64_t m = 0;
      std::memcpy(&m, mask + (size_t(r) * pitch + c) * size, size);
      const size_t i = size_t(r) * cols + c;
      static_cast<T*>(instr.dst)[i] =
          (m != 0) == bool(instr.flag) ? scalar : static_cast<const T*>(instr.src0)[i];
    }
}

template <OwnFn kHalf, OwnFn kSingle>
OwnFn ByType(uint8_t type) {
  return type == AKGEN_F16 ? kHalf : type == AKGEN_F32 ? kSingle : nullptr;
}

}  // namespace

OwnFn FindRows(const AkgenVec& instr) {
  const uint8_t t = instr.dst_type;
  switch (instr.op) {
    case AKGEN_OP_SumRows: return ByType<RunSumRows<F16, false>, RunSumRows<float, false>>(t);
    case AKGEN_OP_MeanRows: return ByType<RunSumRows<F16, true>, RunSumRows<float, true>>(t);
    case AKGEN_OP_CumSum: return ByType<RunCumSum<F16>, RunCumSum<float>>(t);
    case AKGEN_OP_SoftMaxRows: return ByType<RunSoftMax<F16>, RunSoftMax<float>>(t);
    case AKGEN_OP_SoftMaxGradRows: return ByType<RunSoftMaxGrad<F16>, RunSoftMaxGrad<float>>(t);
    case AKGEN_OP_SelectWithBytesMask:
      if (SizeOfType(instr.src1_type) == 0) return nullptr;
      return ByType<RunSelectBytes<uint16_t>, RunSelectBytes<uint32_t>>(t);
    case AKGEN_OP_BroadCast:
      switch (SizeOfType(t)) {
        case 1: return RunBroadCast<uint8_t>;
        case 2: return RunBroadCast<uint16_t>;
        case 4: return RunBroadCast<uint32_t>;
        default: return nullptr;
      }
    default: return nullptr;
  }
}

}  // namespace akgen::sim
