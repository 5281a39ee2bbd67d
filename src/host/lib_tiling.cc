// Working space of library functions (tiling/tmp_size_tiling.h, tiling/softmax_tiling.h), as on
// 2201.
#include "tiling/tiling_api.h"

#include "akgen/library_tmp.h"
#include "host/shapes.h"

namespace AscendC {
namespace {

constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kBlockBytes = 32;

uint32_t RoundUp(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

void Set(akgen::TmpSize size, uint32_t& max, uint32_t& min) { max = size.max, min = size.min; }

}  // namespace

// An empty shape, and one that has no size, leave the results unset.
#define AKGEN_TMP_BYTES(name, takes, ...)                                             \
  void Get##name##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, \
                                const bool isReuseSource, uint32_t& maxValue,         \
                                uint32_t& minValue) {                                 \
    [[maybe_unused]] const uint32_t count = Elements(srcShape), size = typeSize;      \
    if (count == 0 || !(takes)) return;                                               \
    Set(akgen::name##Tmp(count, typeSize, isReuseSource), maxValue, minValue);        \
  }
#define AKGEN_TMP_SIZE(name, half, single, single_reuse)                                   \
  AKGEN_TMP_BYTES(name, true)                                                              \
  void Get##name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, \
                                      uint32_t& extraBuffer) {                             \
    extraBuffer = 0;                                                                       \
    maxLiveNodeCount = typeSize != 4 ? (half) : (single);                                  \
  }
#include "akgen/vec_ops.inc"

void GetClampMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool,
                           uint32_t& maxValue, uint32_t& minValue) {
  minValue = typeSize == 4 ? 64 : 128;
  maxValue = std::max(Elements(srcShape), minValue);
}
void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                            uint32_t& maxValue, uint32_t& minValue, const bool) {
  if (Elements(srcShape))
    Set(akgen::SwiGLUTmp(Elements(srcShape), typeSize, false), maxValue, minValue);
}
void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                  uint32_t& extraBuffer) {
  extraBuffer = 0;
  maxLiveNodeCount = typeSize == 4 ? 0 : 6;
}
void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                 uint32_t& minValue) {
  minValue = 2 * kRepeatBytes;
  maxValue = RoundUp(std::max(2 * Elements(srcShape), minValue), kBlockBytes);
}
void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  extraBuf = 0;
  maxLiveNodeCount = 2;
}
// Floats: the source, one row of it at least, the scales, and a repeat that a mask may leave
// unused.
void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                   uint32_t& minValue) {
  const size_t dims = srcShape.GetDimNum();
  if (dims != 1 && dims != 2) return;
  const uint32_t inner = uint32_t(srcShape.GetDim(dims - 1)), fixed = 64 + inner + 8;
  maxValue = (fixed + Elements(srcShape)) * 4;
  minValue = (fixed + inner) * 4;
}
void GetAscendDequantTmpBufferFactorSize(const TensorShape& srcShape, uint32_t& maxLiveNodeCount,
                                         uint32_t& extraBuf) {
  const size_t dims = srcShape.GetDimNum();
  maxLiveNodeCount = dims == 2 ? 1 : dims == 1 ? 2 : 0;
  extraBuf = dims == 2 ? 72 + uint32_t(srcShape.GetDim(1)) : dims == 1 ? 72 : 0;
}
uint32_t GetGeluMinTmpSize(const TensorShape&, const uint32_t) { return 3 * kRepeatBytes; }
uint32_t GetGeluMaxTmpSize(const TensorShape& srcShape, const uint32_t) {
  return std::max(3 * Elements(srcShape) * 4, 3 * kRepeatBytes);
}
void GetGeluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                          uint32_t& minValue) {
  maxValue = GetGeluMaxTmpSize(srcShape, typeSize);
  minValue = GetGeluMinTmpSize(srcShape, typeSize);
}
bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                         const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  const uint32_t buffers = typeSize != 4 ? 4 : isReuseSource ? 2 : 3;
  minValue = buffers * kRepeatBytes;
  maxValue = buffers * std::max(Elements(srcShape) * 4, kRepeatBytes);
  return true;
}
void GetExpTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                               uint32_t& extraBuffer) {
  extraBuffer = 0;
  maxLiveNodeCount = typeSize == 4 ? 3 : 8;
}
void GetLgammaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                            const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  if (Elements(srcShape))
    Set(akgen::LgammaTmp(Elements(srcShape), typeSize, isReuseSource), maxValue, minValue);
}
void GetLgammaTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                  uint32_t& extraBuffer) {
  extraBuffer = 0;
  maxLiveNodeCount = typeSize == 4 ? 8 : 13;
}
void GetPowerMaxMinTmpSize(const TensorShape& srcShape1, const TensorShape& srcShape2,
                           const bool typeIsInt, const uint32_t typeSize, const bool,
                           uint32_t& maxValue, uint32_t& minValue) {
  auto is_scalar = [](const TensorShape& shape) {
    return shape.GetDimNum() == 1 && shape.GetDim(0) == 1;
  };
  const bool tensors = !is_scalar(srcShape1) && !is_scalar(srcShape2);
  const bool single = typeSize == 4;
  const uint32_t factor = typeIsInt ? (tensors ? 6 : 7) : !single ? 14 : tensors ? 4 : 5;
  const uint32_t smallest = single ? kRepeatBytes : kRepeatBytes / 2;
  const uint32_t extra = typeIsInt ? 0 : kRepeatBytes;
  const uint32_t count = Elements(is_scalar(srcShape1) ? srcShape2 : srcShape1);
  minValue = factor * (typeIsInt ? kRepeatBytes : smallest) + extra;
  maxValue = factor * std::max(count * typeSize, smallest) + extra;
}
void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                           const uint32_t typeSize, const bool, uint32_t& maxValue,
                           uint32_t& minValue) {
  if (Elements(srcShape))
    Set(akgen::RoundTmp(Elements(srcShape), typeSize, false), maxValue, minValue);
}
void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                            const bool isLastAxis, const bool, uint32_t& maxValue,
                            uint32_t& minValue) {
  const auto outer = static_cast<uint32_t>(srcShape.GetDim(0)),
             inner = static_cast<uint32_t>(srcShape.GetDim(1));
  if (!isLastAxis) {
    maxValue = minValue = typeSize == 2 ? outer * inner * 4 : 0;
    return;
  }
  // Two transpositions, 16 rows at a time, and for half a widened copy.
  const uint32_t per_row = inner * typeSize * 2 + (typeSize == 2 ? inner * 2 : 0);
  minValue = 16 * per_row;
  maxValue = RoundUp(outer, 16) * per_row;
}
void GetSiluTmpSize(const TensorShape&, const uint32_t, const bool, uint32_t& maxValue,
                    uint32_t& minValue) {
  maxValue = minValue = 0;
}
void GetSwishTmpSize(const TensorShape&, const uint32_t, const bool, uint32_t& maxValue,
                     uint32_t& minValue) {
  maxValue = minValue = 0;
}
void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize,
                          const bool, uint32_t& maxSize, uint32_t& minSize) {
  if (srcTypeSize == 0 || n == 0) return;
  const bool widened = srcTypeSize == 2 && accTypeSize == 4;
  uint32_t per_repeat = kRepeatBytes / (widened ? 4 : srcTypeSize);
  uint32_t size = RoundUp((n + per_repeat - 1) / per_repeat, kBlockBytes);
  if (widened) size += RoundUp(n * srcTypeSize, kBlockBytes) / srcTypeSize * 4;
  maxSize = minSize = size;
}
void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t& maxSize,
                         uint32_t& minSize) {
  if (typeSize == 0 || n == 0) return;
  uint32_t per_repeat = kRepeatBytes / typeSize;
  maxSize = minSize = RoundUp((n + per_repeat - 1) / per_repeat, kBlockBytes / typeSize) * typeSize;
}

// A column repeated along rows needs a DataBlock for each row, rounded to 8, and a padded copy when
// the rows are no whole DataBlocks; a row repeated needs one DataBlock. Bytes are widened to half
// first, source and destination.
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&,
                               const TensorShape& srcShape, const TensorShape& dstShape,
                               uint32_t typeSize, const bool, uint32_t& maxValue,
                               uint32_t& minValue) {
  const uint32_t count = Elements(dstShape), from = Elements(srcShape);
  if (count == 0 || from == 0 || typeSize == 0) return;
  const uint32_t widened =
      typeSize == 1 ? RoundUp(from * 2, kBlockBytes) + RoundUp(count * 2, kBlockBytes) : 0;
  const uint32_t size = std::max(typeSize, 2u), block = kBlockBytes / size;
  const bool same = from == count || from == 1;
  maxValue = minValue = same && typeSize != 1 ? 0 : widened + kBlockBytes;
  if (same || dstShape.GetDimNum() != 2 || srcShape.GetDim(1) != 1) return;
  const auto rows = static_cast<uint32_t>(dstShape.GetDim(0)),
             cols = static_cast<uint32_t>(dstShape.GetDim(1));
  const uint32_t padded = cols % block == 0 ? 0 : RoundUp(cols, block) * size;
  minValue = widened + block * (kBlockBytes + padded);
  maxValue = widened + RoundUp(rows, 8) * kBlockBytes + rows * padded;
}

namespace {
// Halves for the elements (at most 4096 of them at once), and a copy of the mask where its rows are
// longer.
uint32_t SelectTmp(const TensorShape& src0, const TensorShape& src1, const TensorShape& mask,
                   uint32_t mask_size, bool reuse_mask, uint32_t at_once) {
  const bool scalar = src0.GetDimNum() == 0 || Elements(src0) == 1;
  const TensorShape& data = scalar ? src1 : src0;
  const uint32_t count = Elements(data);
  uint32_t bytes = std::max(1024u, RoundUp(std::min(count, at_once), kBlockBytes) * 2 + 512);
  const int64_t mask_row = mask.GetDim(mask.GetDimNum() - 1),
                row = data.GetDim(data.GetDimNum() - 1);
  if (mask_row != row && !reuse_mask && mask_row > 1)
    bytes += RoundUp(count * mask_size, kBlockBytes);
  return bytes;
}
}  // namespace
void GetSelectMaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                            const uint32_t, const TensorShape& maskShape,
                            const uint32_t maskTypeSize, const bool isReuseMask, uint32_t& maxValue,
                            uint32_t& minValue) {
  maxValue = SelectTmp(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, UINT32_MAX);
  minValue = SelectTmp(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, 4096);
}
void GetSelectWithBytesMaskMaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                                         const uint32_t srcTypeSize, const TensorShape& maskShape,
                                         const uint32_t maskTypeSize, const bool isReuseMask,
                                         uint32_t& maxValue, uint32_t& minValue) {
  GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask,
                         maxValue, minValue);
}

namespace {

// What one row of K elements needs, in floats.
struct Rows {
  uint32_t m = 0, k = 0, block = 0;  // block: elements of 32 bytes
  bool ok = false;
};

Rows RowsOf(const TensorShape& shape, uint32_t type_size) {
  Rows rows;
  uint32_t count = Elements(shape);
  if (count == 0 || (type_size != 2 && type_size != 4)) return rows;
  rows.k = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
  rows.m = count / rows.k;
  rows.block = kBlockBytes / type_size;
  rows.ok = true;
  return rows;
}

uint32_t SoftMaxRow(const Rows& r) { return r.block + r.k + 64; }
uint32_t GradRow(const Rows& r, uint32_t type_size, bool front) {
  if (type_size == 2) return r.block * 2 + r.k * 3 + 64;
  return (front ? r.block : r.block * 2) + r.k + 64;
}
uint32_t FlashRow(const Rows& r, bool update) {
  return update ? r.block * 4 + r.k * 2 : SoftMaxRow(r);
}

// Rows handled at once: what fits, a multiple of 8 when cut, and for shapes of the basic-block kind
// (M a multiple of 8, K of 64) a divisor of M with at most 16384 elements.
uint32_t RowsAtOnce(const Rows& r, uint32_t row_floats, uint32_t bytes) {
  uint32_t base = std::min(bytes / 4 / row_floats, r.m);
  if (base < r.m && base > 8) base = base / 8 * 8;
  if (base > 8 && r.m % 8 == 0 && r.k % 64 == 0) {
    base = base / 8 * 8;
    while (r.m % base != 0) base -= 8;
    while (base * r.k >= 64 * 256) base /= 2;
  }
  return base;
}

void Cut(const Rows& r, uint32_t base, optiling::SoftMaxTiling& t) {
  t.set_srcM(r.m);
  t.set_srcK(r.k);
  t.set_srcSize(r.m * r.k);
  t.set_outMaxM(r.m);
  t.set_outMaxK(r.block);
  t.set_outMaxSize(r.m * r.block);
  t.set_splitM(base);
  t.set_splitK(r.k);
  t.set_splitSize(base * r.k);
  t.set_reduceM(base);
  t.set_reduceK(r.block);
  t.set_reduceSize(base * r.block);
  uint32_t tail = base == 0 ? 0 : r.m % base;
  if (base != 0) t.set_rangeM(r.m / base);
  t.set_tailM(tail);
  t.set_tailSplitSize(tail * r.k);
  t.set_tailReduceSize(tail * r.block);
}

}  // namespace

uint32_t GetSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                              const bool) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  return r.ok ? r.m * SoftMaxRow(r) * 4 : 0;
}
uint32_t GetSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                              const bool) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  return r.ok ? SoftMaxRow(r) * 4 : 0;
}
void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                       const uint32_t localWorkSpaceSize, optiling::SoftMaxTiling& softmaxTiling) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  if (r.ok) Cut(r, RowsAtOnce(r, SoftMaxRow(r), localWorkSpaceSize), softmaxTiling);
}
uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                  const bool isFront, const bool) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  return r.ok ? r.m * GradRow(r, dataTypeSize, isFront) * 4 : 0;
}
uint32_t GetSoftMaxGradMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                  const bool isFront, const bool) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  return r.ok ? GradRow(r, dataTypeSize, isFront) * 4 : 0;
}
void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                           const uint32_t localWorkSpaceSize,
                           optiling::SoftMaxTiling& softmaxGradTiling, const bool isFront) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  if (r.ok)
    Cut(r, RowsAtOnce(r, GradRow(r, dataTypeSize, isFront), localWorkSpaceSize), softmaxGradTiling);
}
uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                   const bool isUpdate, const bool) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  return r.ok ? r.m * FlashRow(r, isUpdate) * 4 : 0;
}
uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                   const bool isUpdate, const bool) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  return r.ok ? FlashRow(r, isUpdate) * 4 : 0;
}
void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                            const uint32_t localWorkSpaceSize,
                            optiling::SoftMaxTiling& softmaxFlashTiling, const bool isUpdate) {
  Rows r = RowsOf(srcShape, dataTypeSize);
  if (r.ok) Cut(r, RowsAtOnce(r, FlashRow(r, isUpdate), localWorkSpaceSize), softmaxFlashTiling);
}

namespace {
// Of the basic-block kind a shape takes other sizes; 1024 columns of it some more.
bool BasicFlash(const Rows& r, bool basic) { return basic && r.k % 64 == 0 && r.m % 8 == 0; }
uint32_t FlashV2Row(const Rows& r, uint32_t size, bool basic) {
  const bool half = size == 2;
  if (!BasicFlash(r, basic)) return half ? r.block * 2 + r.k + 64 : r.block + 64;
  return r.block + (half ? r.k : 0) + (r.k == 1024 ? 128 : 64);
}
}  // namespace
uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const bool,
                                     const bool isBasicBlock, const bool) {
  Rows r = RowsOf(srcShape, dataTypeSize2);
  if (!r.ok) return 0;
  if (BasicFlash(r, isBasicBlock))
    while (r.m * r.k >= 64 * 256) r.m /= 2;
  return r.m * FlashV2Row(r, dataTypeSize1, isBasicBlock) * 4;
}
uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const bool,
                                     const bool isBasicBlock, const bool isFlashOutputBrc) {
  const Rows r = RowsOf(srcShape, dataTypeSize2);
  if (!r.ok) return 0;
  const uint32_t rows = std::min(32 / dataTypeSize1, r.m),
                 basic = isBasicBlock && r.k % 64 == 0 ? 8 : 1;
  return FlashV2Row(r, dataTypeSize1, isBasicBlock) * 4 * (isFlashOutputBrc ? rows : basic);
}
void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                              const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                              optiling::SoftMaxTiling& softmaxFlashTiling, const bool,
                              const bool isBasicBlock, const bool isFlashOutputBrc) {
  const Rows r = RowsOf(srcShape, dataTypeSize2);
  if (!r.ok) return;
  const uint32_t row = FlashV2Row(r, dataTypeSize1, isBasicBlock),
                 unit = isFlashOutputBrc && dataTypeSize1 == 2 ? 16 : 8;
  uint32_t base = BasicFlash(r, isBasicBlock) ? RowsAtOnce(r, row, localWorkSpaceSize)
                                              : std::min(localWorkSpaceSize / 4 / row, r.m);
  if (base < r.m && base > unit) base = base / unit * unit;
  Cut(r, base, softmaxFlashTiling);
}

void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape, const uint32_t,
                                    const uint32_t dataTypeSize2, uint32_t& maxValue,
                                    uint32_t& minValue, const bool, const bool) {
  const Rows r = RowsOf(srcShape, dataTypeSize2);
  if (!r.ok) return;
  const akgen::TmpSize tmp = akgen::FlashV3Tmp(r.m, r.k);
  maxValue = tmp.max, minValue = tmp.min;
}
void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t,
                              const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                              optiling::SoftMaxTiling& softmaxFlashV3Tiling, const bool,
                              const bool) {
  const Rows r = RowsOf(srcShape, dataTypeSize2);
  if (!r.ok) return;
  uint32_t base = std::min(localWorkSpaceSize / akgen::FlashV3Tmp(1, r.k).min, r.m);
  if (base < r.m && base > 8) base = base / 8 * 8;
  Cut(r, base, softmaxFlashV3Tiling);
}

namespace {
// The same in the plain struct.
template <typename Fill>
void InPlain(tiling::SoftMaxTiling& plain, Fill fill) {
  optiling::SoftMaxTiling t;
  fill(t);
  Copy(t, plain);
}
}  // namespace
void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                       const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxTiling) {
  InPlain(softmaxTiling,
          [&](auto& t) { SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, t); });
}
void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                           const uint32_t localWorkSpaceSize,
                           tiling::SoftMaxTiling& softmaxGradTiling, const bool isFront) {
  InPlain(softmaxGradTiling, [&](auto& t) {
    SoftMaxGradTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, t, isFront);
  });
}
void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                            const uint32_t localWorkSpaceSize,
                            tiling::SoftMaxTiling& softmaxFlashTiling, const bool isUpdate) {
  InPlain(softmaxFlashTiling, [&](auto& t) {
    SoftMaxFlashTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, t, isUpdate);
  });
}
void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                              const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                              tiling::SoftMaxTiling& softmaxFlashTiling, const bool isUpdate,
                              const bool isBasicBlock, const bool isFlashOutputBrc) {
  InPlain(softmaxFlashTiling, [&](auto& t) {
    SoftMaxFlashV2TilingFunc(srcShape, dataTypeSize1, dataTypeSize2, localWorkSpaceSize, t,
                             isUpdate, isBasicBlock, isFlashOutputBrc);
  });
}
void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                              const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                              tiling::SoftMaxTiling& softmaxFlashV3Tiling, const bool isUpdate,
                              const bool isBasicBlock) {
  InPlain(softmaxFlashV3Tiling, [&](auto& t) {
    SoftMaxFlashV3TilingFunc(srcShape, dataTypeSize1, dataTypeSize2, localWorkSpaceSize, t,
                             isUpdate, isBasicBlock);
  });
}

}  // namespace AscendC
