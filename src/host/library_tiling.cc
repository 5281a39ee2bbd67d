// Working space and tilings of tiling/library_tiling.h; the sizes are those of akgen/library_tmp.h.
#include "tiling/library_tiling.h"

#include "akgen/library_tmp.h"
#include "host/shapes.h"

namespace AscendC {
namespace {
bool WordSize(uint32_t size) { return size == 2 || size == 4; }

akgen::TmpSize LogSoftMax(const TensorShape& shape, uint32_t size) {
  if (Elements(shape) == 0 || !WordSize(size)) return {};
  const uint32_t k = Dim(shape, shape.GetDimNum() - 1);
  return akgen::LogSoftMaxTmp(Elements(shape) / k, k, size);
}
akgen::TmpSize AntiQuant(const TensorShape& shape, const TensorShape& scale, bool transposed,
                         TensorDataType to) {
  return akgen::AntiQuantTmp(Elements(shape), Dim(shape, 0), Elements(scale), transposed,
                             to == ge::DT_FLOAT16);
}
}  // namespace

bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const int32_t inner,
                          const int32_t outer, const bool, const bool with_index,
                          enum TopKMode mode, const bool largest, const uint32_t size,
                          uint32_t& max, uint32_t& min) {
  const bool small = mode == TopKMode::TOPK_NSMALL;
  if (inner <= 0 || inner % 32 || outer <= 0 || !WordSize(size) || (small && inner != 32))
    return false;
  const akgen::TmpSize tmp =
      akgen::TopKTmp(uint32_t(inner), uint32_t(outer), small, with_index, largest);
  max = tmp.max, min = tmp.min;
  return true;
}
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& platform, const int32_t inner,
                    const int32_t outer, const int32_t k, const uint32_t size,
                    const bool with_index, enum TopKMode mode, const bool largest,
                    optiling::TopkTiling& t) {
  uint32_t max = 0, min = 0;
  if (!GetTopKMaxMinTmpSize(platform, inner, outer, false, with_index, mode, largest, size, max,
                            min) ||
      k <= 0 || k > inner)
    return false;
  t.set_tmpLocalSize(int32_t(min / size));
  t.set_innerDataSize(inner * int32_t(8 / size));
  t.set_sortRepeat(uint32_t(inner) / 32);
  t.set_kAlignFourBytes((k + 7) / 8 * 8);
  t.set_kAlignTwoBytes((k + 15) / 16 * 16);
  return true;
}
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& platform, const int32_t inner,
                    const int32_t outer, const int32_t k, const uint32_t size,
                    const bool with_index, enum TopKMode mode, const bool largest,
                    tiling::TopkTiling& plain) {
  optiling::TopkTiling t;
  const bool taken = TopKTilingFunc(platform, inner, outer, k, size, with_index, mode, largest, t);
  if (taken) Copy(t, plain);
  return taken;
}

uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape shape, const uint32_t size, const bool) {
  return LogSoftMax(shape, size).max;
}
uint32_t GetLogSoftMaxMinTmpSize(const TensorShape shape, const uint32_t size, const bool) {
  return LogSoftMax(shape, size).min;
}
void LogSoftMaxTilingFunc(const TensorShape shape, const uint32_t size, const uint32_t bytes,
                          optiling::LogSoftMaxTiling& t) {
  const uint32_t row = LogSoftMax(shape, size).min;
  if (row == 0) return;
  const uint32_t k = Dim(shape, shape.GetDimNum() - 1), m = Elements(shape) / k,
                 at_once = std::min(bytes / row, m);
  t.set_srcM(m);
  t.set_srcK(k);
  t.set_srcSize(m * k);
  t.set_outMaxM(m);
  t.set_outMaxK(32 / size);
  t.set_outMaxSize(m * (32 / size));
  t.set_splitM(at_once);
  t.set_splitK(k);
  t.set_splitSize(at_once * k);
}
void LogSoftMaxTilingFunc(const TensorShape shape, const uint32_t size, const uint32_t bytes,
                          tiling::LogSoftMaxTiling& plain) {
  optiling::LogSoftMaxTiling t;
  LogSoftMaxTilingFunc(shape, size, bytes, t);
  Copy(t, plain);
}

void GetPadMaxMinTmpSize(const TensorShape& shape, const uint32_t size, uint32_t& max,
                         uint32_t& min) {
  if (shape.GetDimNum() != 2 || Elements(shape) == 0 || !WordSize(size)) return;
  const akgen::TmpSize tmp = akgen::PadTmp(Dim(shape, 0), Dim(shape, 1));
  max = tmp.max, min = tmp.min;
}
void PadTilingFunc(const TensorShape shape, const TensorShape origin, const uint32_t,
                   const uint32_t, optiling::PadTiling& t) {
  if (shape.GetDimNum() != 2 || origin.GetDimNum() != 2) return;
  t.set_srcHeight(Dim(shape, 0));
  t.set_srcWidth(Dim(shape, 1));
  t.set_srcOriWidth(Dim(origin, 1));
}
void PadTilingFunc(const TensorShape shape, const TensorShape origin, const uint32_t bytes,
                   const uint32_t size, tiling::PadTiling& plain) {
  optiling::PadTiling t;
  PadTilingFunc(shape, origin, bytes, size, t);
  Copy(t, plain);
}
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape&,
                           const uint32_t, uint32_t& max, uint32_t& min) {
  max = min = 0;
}
void UnPadTilingFunc(const TensorShape shape, const uint32_t, const uint32_t,
                     optiling::UnPadTiling& t) {
  if (shape.GetDimNum() != 2) return;
  t.set_srcHeight(Dim(shape, 0));
  t.set_srcWidth(Dim(shape, 1));
}
void UnPadTilingFunc(const TensorShape shape, const uint32_t bytes, const uint32_t size,
                     tiling::UnPadTiling& plain) {
  optiling::UnPadTiling t;
  UnPadTilingFunc(shape, bytes, size, t);
  Copy(t, plain);
}

namespace {
constexpr uint32_t kMatrix = 7;  // TRANSPOSE_ND2ND_ONLY

bool IsTransposed(const TensorShape& shape, uint32_t type) {
  return type >= 1 && type <= kMatrix && shape.GetDimNum() == (type == kMatrix ? 2 : 4);
}
void TransposeTiling(const TensorShape& shape, uint32_t type,
                     optiling::ConfusionTransposeTiling& t) {
  if (!IsTransposed(shape, type)) return;
  const bool matrix = type == kMatrix;
  t.set_param0(matrix ? 1 : Dim(shape, 0));
  t.set_param1(matrix ? 1 : Dim(shape, 1));
  t.set_param2(Dim(shape, matrix ? 0 : 2));
  t.set_param3(Dim(shape, matrix ? 1 : 3));
}
void TransposeTiling(const TensorShape& shape, uint32_t type,
                     tiling::ConfusionTransposeTiling& plain) {
  optiling::ConfusionTransposeTiling t;
  TransposeTiling(shape, type, t);
  Copy(t, plain);
}
}  // namespace
void GetTransposeMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const uint32_t type,
                               uint32_t& max, uint32_t& min) {
  if (!IsTransposed(shape, type)) return;
  const akgen::TmpSize tmp =
      akgen::ConfusionTransposeTmp(type, Dim(shape, type == kMatrix ? 0 : 2), size);
  max = tmp.max, min = tmp.min;
}
void GetConfusionTransposeMaxMinTmpSize(const TensorShape& shape, const uint32_t size,
                                        const uint32_t type, uint32_t& max, uint32_t& min) {
  GetTransposeMaxMinTmpSize(shape, size, type, max, min);
}
#define AKGEN_TRANSPOSE_TILINGS(space)                                                            \
  void GetTransposeTilingInfo(const TensorShape& shape, const uint32_t, const uint32_t,           \
                              const uint32_t type, space::ConfusionTransposeTiling& t) {          \
    TransposeTiling(shape, type, t);                                                              \
  }                                                                                               \
  void GetConfusionTransposeTilingInfo(const TensorShape& shape, const uint32_t, const uint32_t,  \
                                       const uint32_t type, space::ConfusionTransposeTiling& t) { \
    TransposeTiling(shape, type, t);                                                              \
  }                                                                                               \
  void GetConfusionTransposeOnlyTilingInfo(const TensorShape& shape, const uint32_t,              \
                                           const uint32_t, space::ConfusionTransposeTiling& t) {  \
    TransposeTiling(shape, kMatrix, t);                                                           \
  }
AKGEN_TRANSPOSE_TILINGS(optiling)
AKGEN_TRANSPOSE_TILINGS(tiling)
#undef AKGEN_TRANSPOSE_TILINGS

namespace {
bool HasBlocksOf(const TensorShape& plain, const TensorShape& blocked, bool fractal) {
  if (plain.GetDimNum() != 5) return false;
  const akgen::BlockedShape want = akgen::BlockedShapeOf(
      fractal, Dim(plain, 0), Dim(plain, 1), Dim(plain, 2), Dim(plain, 3), Dim(plain, 4));
  if (blocked.GetDimNum() != want.axes) return false;
  for (uint32_t i = 0; i < want.axes; ++i)
    if (Dim(blocked, i) != want.extent[i]) return false;
  return true;
}
}  // namespace
bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& src,
                               const TensorShape& dst, const TensorDataType type,
                               const TransDataConfig& config, uint32_t& max, uint32_t& min) {
  const bool short_type = type == ge::DT_FLOAT16 || type == ge::DT_BF16 || type == ge::DT_INT16 ||
                          type == ge::DT_UINT16;
  const akgen::TransDataKind kind = akgen::TransDataKindOf(config);
  if (!short_type || kind == akgen::kNoTransData) return false;
  const bool from = config.srcFormat == DataFormat::NCDHW;
  const bool fractal = kind == akgen::kNcdhwToFractal || kind == akgen::kFractalToNcdhw;
  const TensorShape &plain = from ? src : dst, &blocked = from ? dst : src;
  if (!HasBlocksOf(plain, blocked, fractal)) return false;
  const akgen::TmpSize tmp = akgen::TransDataTmp(kind, Dim(plain, 0), Dim(plain, 1), Dim(plain, 2),
                                                 Dim(plain, 3) * Dim(plain, 4));
  max = tmp.max, min = tmp.min;
  return true;
}

uint32_t GetDropOutMaxTmpSize(const TensorShape& shape, const uint32_t, const bool) {
  return akgen::DropOutTmp(Elements(shape)).max;
}
uint32_t GetDropOutMinTmpSize(const TensorShape& shape, const uint32_t, const bool) {
  return akgen::DropOutTmp(Elements(shape)).min;
}
void GetDropOutMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const bool reuse,
                             uint32_t& max, uint32_t& min) {
  max = GetDropOutMaxTmpSize(shape, size, reuse);
  min = GetDropOutMinTmpSize(shape, size, reuse);
}

uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& shape, const TensorShape& scale,
                                      bool transposed, TensorDataType, TensorDataType to) {
  return AntiQuant(shape, scale, transposed, to).max;
}
uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape& shape, const TensorShape& scale,
                                      bool transposed, TensorDataType, TensorDataType to) {
  return AntiQuant(shape, scale, transposed, to).min;
}
void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& shape, const TensorShape& scale,
                                     bool transposed, TensorDataType from, TensorDataType to,
                                     uint32_t& max, uint32_t& min) {
  max = GetAscendAntiQuantMaxTmpSize(shape, scale, transposed, from, to);
  min = GetAscendAntiQuantMinTmpSize(shape, scale, transposed, from, to);
}

void GetArangeMaxMinTmpSize(uint32_t& max, uint32_t& min) { max = min = 0; }
void GetArithProgressionMaxMinTmpSize(uint32_t& max, uint32_t& min) { max = min = 0; }
uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elements,
                        const uint32_t) {
  return elements * 8;
}
uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t,
                          const uint32_t) {
  return 0;
}

#define AKGEN_PATTERN_TMP(name)                                                                   \
  void GetReduce##name##MaxMinTmpSize(const TensorShape& shape, const TensorDataType type,        \
                                      ReducePattern pattern, bool, bool reuse, uint32_t& max,     \
                                      uint32_t& min) {                                            \
    if (shape.GetDimNum() != 2 || (pattern != ReducePattern::AR && pattern != ReducePattern::RA)) \
      return;                                                                                     \
    const akgen::TmpSize tmp =                                                                    \
        akgen::PatternTmp(akgen::kPattern##name, pattern == ReducePattern::RA, Dim(shape, 0),     \
                          Dim(shape, 1), uint32_t(ge::GetSizeByDataType(type)), reuse);           \
    max = tmp.max, min = tmp.min;                                                                 \
  }
AKGEN_PATTERN_TMP(Sum)
AKGEN_PATTERN_TMP(Mean)
AKGEN_PATTERN_TMP(Max)
AKGEN_PATTERN_TMP(Min)
AKGEN_PATTERN_TMP(Prod)
AKGEN_PATTERN_TMP(Any)
AKGEN_PATTERN_TMP(All)
#undef AKGEN_PATTERN_TMP

}  // namespace AscendC
