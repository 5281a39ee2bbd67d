#include "sim/ops/tmp.h"

#include "akgen/library_tmp.h"
#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {
uint64_t RoundUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

bool IsSingle(const AkgenVec& v) { return SizeOfType(v.src_type) == 4; }

// The shape of rows as Sum and SoftMax have it.
struct RowSizes {
  uint64_t size, block, rows,
      pitch;  // bytes of an element; elements of a DataBlock; rows; elements from row to row
};
RowSizes RowSizesOf(const AkgenVec& v) {
  const uint64_t size = SizeOfType(v.dst_type);
  return {size, size ? kBlock / size : 1, Low(v.aux[0]), Low(v.aux[1])};
}
}  // namespace

int64_t TmpOfGelu(const AkgenVec&, uint64_t count) {
  return int64_t(std::max(3 * count * 4, 3 * kTmpRepeat));
}
int64_t TmpOfExpHp(const AkgenVec& v, uint64_t count) {
  return int64_t((IsSingle(v) ? 3 : 4) * std::max(count * 4, kTmpRepeat));
}
int64_t TmpOfClamp(const AkgenVec& v, uint64_t count) {
  return int64_t(std::max<uint64_t>(count, IsSingle(v) ? 64 : 128));
}

// Sizes are rounded as the host functions do.
int64_t TmpOfQuant(const AkgenVec& v, uint64_t) {
  return int64_t(RoundUp(std::max<uint64_t>(uint64_t(v.count) * 2, 2 * kTmpRepeat), kBlock));
}
int64_t TmpOfDequant(const AkgenVec& v, uint64_t) {
  const uint64_t lines = Low(v.aux[0]), cols = High(v.aux[0]);
  return int64_t((64 + lines * cols + cols + 8) * 4);
}
int64_t TmpOfSum(const AkgenVec& v, uint64_t) {
  const auto [size, block, rows, pitch] = RowSizesOf(v);
  const uint64_t n = Low(v.aux[2]);
  return int64_t(RoundUp((n + kTmpRepeat / size - 1) / (kTmpRepeat / size), block) * size);
}
int64_t TmpOfMean(const AkgenVec& v, uint64_t) {
  const uint64_t size = SizeOfType(v.dst_type), n = Low(v.aux[2]), acc = v.flag ? 4 : size;
  uint64_t bytes = RoundUp((n + kTmpRepeat / acc - 1) / (kTmpRepeat / acc), kBlock);
  if (v.flag && size == 2) bytes += RoundUp(n * size, kBlock) / size * 4;
  return int64_t(bytes);
}
int64_t TmpOfCumSum(const AkgenVec& v, uint64_t) {
  const auto [size, block, rows, pitch] = RowSizesOf(v);
  if (!v.aux[2]) return int64_t(size == 2 ? rows * pitch * 4 : 0);
  return int64_t(RoundUp(rows, 16) * (pitch * size * 2 + (size == 2 ? pitch * 2 : 0)));
}
int64_t TmpOfSoftMax(const AkgenVec& v, uint64_t) {
  const auto [size, block, rows, pitch] = RowSizesOf(v);
  return int64_t(rows * (block + pitch + 64) * 4);
}
int64_t TmpOfSoftMaxGrad(const AkgenVec& v, uint64_t) {
  const auto [size, block, rows, pitch] = RowSizesOf(v);
  return int64_t(
      rows * (size == 2 ? block * 2 + pitch * 3 + 64 : (v.flag ? block : block * 2) + pitch + 64) *
      4);
}
int64_t TmpOfSelectWithBytesMask(const AkgenVec& v, uint64_t) {
  return int64_t(std::max<uint64_t>(
      1024, RoundUp(uint64_t(Low(v.aux[1])) * High(v.aux[1]), kBlock) * 2 + 512));
}
int64_t TmpOfBroadCast(const AkgenVec& v, uint64_t) {
  const uint64_t size = SizeOfType(v.dst_type), block = size ? kBlock / size : 1;
  if (v.aux[0] != 2 && size != 1) return 0;  // one element to all
  if (v.aux[0] != 2 || v.aux[1] != 1 || size == 1) return -1;
  const uint64_t lines = Low(v.aux[2]), cols = High(v.aux[2]);
  uint64_t bytes = RoundUp(lines, 8) * kBlock;
  if (cols % block) bytes += lines * RoundUp(cols, block) * size;
  return int64_t(bytes);
}

namespace {
uint64_t Repeats(uint64_t n) { return n * kTmpRepeat; }

// One row of a matrix at a time.
uint64_t LeastOfRows(const AkgenVec& v) {
  const auto [size, block, rows, pitch] = RowSizesOf(v);
  switch (v.op) {
    case AKGEN_OP_SoftMaxRows: return (block + pitch + 64) * 4;
    case AKGEN_OP_SoftMaxGradRows:
      return (size == 2 ? block * 2 + pitch * 3 + 64 : (v.flag ? block : block * 2) + pitch + 64) *
             4;
    case AKGEN_OP_CumSum:
      if (!v.aux[2]) return size == 2 ? rows * pitch * 4 : 0;
      return 16 * (pitch * size * 2 + (size == 2 ? pitch * 2 : 0));
    default: return 0;
  }
}
// A column repeated along rows, eight rows at a time.
uint64_t LeastOfBroadCast(const AkgenVec& v) {
  const uint64_t size = SizeOfType(v.dst_type), cols = High(v.aux[2]);
  if (size < 2 || v.aux[0] != 2 || v.aux[1] != 1 || High(v.aux[3]) != 1 || cols == 1) return 0;
  const uint64_t block = kBlock / size, padded = cols % block ? RoundUp(cols, block) * size : 0;
  return block * (kBlock + padded);
}
uint64_t LeastOfPower(const AkgenVec& v) {
  const uint64_t times = v.op == AKGEN_OP_Power ? 0 : 1;
  if (v.dst_type == AKGEN_I32) return Repeats(6 + times);
  return (IsSingle(v) ? Repeats(4 + times) : Repeats(7)) + Repeats(1);
}
}  // namespace

// isReuseSource is not known: the smaller of the two minima.
uint64_t TmpLeast(const AkgenVec& v, uint32_t count) {
  const uint32_t size = SizeOfType(v.src_type);
  switch (v.op) {
#define AKGEN_TMP_SIZE(name, ...)                                   \
  case AKGEN_OP_##name:                                             \
    return RowOf(v.op).library || (v.op == AKGEN_OP_Axpy && !v.tmp) \
               ? 0                                                  \
               : akgen::name##Tmp(count, size, true).min;
#define AKGEN_TMP_BYTES AKGEN_TMP_SIZE
#define AKGEN_TMP_FACTOR AKGEN_TMP_SIZE
#include "akgen/vec_ops.inc"
    case AKGEN_OP_Gelu:
    case AKGEN_OP_FasterGelu:
    case AKGEN_OP_FasterGeluV2: return Repeats(3);
    case AKGEN_OP_ExpHp: return Repeats(IsSingle(v) ? 2 : 4);
    case AKGEN_OP_ClampMax:
    case AKGEN_OP_ClampMin: return IsSingle(v) ? 64 : 128;
    case AKGEN_OP_Power:
    case AKGEN_OP_PowerScalar:
    case AKGEN_OP_ScalarPower: return LeastOfPower(v);
    case AKGEN_OP_Quant: return Repeats(2);
    case AKGEN_OP_Dequant: return (64 + uint64_t(High(v.aux[0])) * 2 + 8) * 4;
    case AKGEN_OP_SumRows:
    case AKGEN_OP_MeanRows: return uint64_t(RowOf(v.op).tmp(v, count));
    case AKGEN_OP_SelectWithBytesMask: {
      const uint64_t elements = uint64_t(Low(v.aux[1])) * High(v.aux[1]);
      return std::max<uint64_t>(1024,
                                RoundUp(std::min<uint64_t>(elements, 4096), kBlock) * 2 + 512);
    }
    case AKGEN_OP_BroadCast: return LeastOfBroadCast(v);
    case AKGEN_OP_Select:
      return v.mode == 0 ? 0 : 8192;  // with a tensor as mask and a scalar, or two tensors
    case AKGEN_OP_AddDeqRelu: return std::min<uint64_t>(uint64_t(count) * 4, 8192);
    default: return LeastOfRows(v);
  }
}

size_t TmpUse(const AkgenVec& v, uint32_t count) {
  if (!v.tmp) return 0;
  const TmpFn documented = RowOf(v.op).tmp;
  const int64_t bytes = documented ? documented(v, count) : -1;
  return size_t(std::min<uint64_t>(bytes < 0 ? kBlock : uint64_t(bytes), v.tmp_bytes));
}

}  // namespace akgen::sim
