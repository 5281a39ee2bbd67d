// Host side of kernel/adv_library.h: working space in bytes between minValue (works) and maxValue,
// and the tiling structs. Shapes that the functions do not take leave all unset (or give 0, or
// false).
#ifndef AKGEN_TILING_LIBRARY_TILING_H
#define AKGEN_TILING_LIBRARY_TILING_H
#include "akgen/data_format.h"
#include "akgen/reduction.h"
#include "graph/tensor.h"
#include "tiling/library_tilings.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                          const int32_t inner, const int32_t outter, const bool isReuseSource,
                          const bool isInitIndex, enum TopKMode mode, const bool isLargest,
                          const uint32_t dataTypeSize, uint32_t& maxValue, uint32_t& minValue);
uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                 const bool isReuseSource);
uint32_t GetLogSoftMaxMinTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                 const bool isReuseSource);
void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                         uint32_t& minValue);
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                           const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                           uint32_t& minValue);
uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                              const bool isReuseSource);
uint32_t GetDropOutMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                              const bool isReuseSource);
void GetDropOutMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                             const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                      bool isTranspose, TensorDataType inputDataType,
                                      TensorDataType outputDataType);
uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                      bool isTranspose, TensorDataType inputDataType,
                                      TensorDataType outputDataType);
void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                     bool isTranspose, TensorDataType inputDataType,
                                     TensorDataType outputDataType, uint32_t& maxValue,
                                     uint32_t& minValue);
// Shapes as TransData's layouts have them; types of 16 bits. False: they do not belong together.
bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform,
                               const TensorShape& srcShape, const TensorShape& dstShape,
                               const TensorDataType dataType, const TransDataConfig& config,
                               uint32_t& maxValue, uint32_t& minValue);
void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue);
void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue);
// For the form of Sort without SortConfig: pairs of 8 bytes; scores need no packing.
uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                        const uint32_t elemCount, const uint32_t dataTypeSize);
uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                          const uint32_t elemCount, const uint32_t dataTypeSize);

enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
  SortType type = SortType::RADIX_SORT;
  bool isDescend = false;
  bool hasSrcIndex = false;
  bool hasDstIndex = false;
};
// For the form of Sort with a SortConfig, which later chips have: on 2201 both sizes stay as they
// are.
inline void GetSortMaxMinTmpSize(const TensorShape& srcShape, TensorDataType valueType,
                                 TensorDataType indexType, bool isReuseSource,
                                 const SortConfig& config, uint32_t& maxValue, uint32_t& minValue) {
}

// Of the reductions by pattern (kernel/adv_reduce.h): srcShape has two axes, pattern is AR or RA.
#define AKGEN_PATTERN_TMP(name)                                                                \
  void Get##name##MaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType,    \
                                ReducePattern pattern, bool isSrcInnerPad, bool isReuseSource, \
                                uint32_t& maxValue, uint32_t& minValue);
AKGEN_PATTERN_TMP(ReduceSum)
AKGEN_PATTERN_TMP(ReduceMean)
AKGEN_PATTERN_TMP(ReduceMax)
AKGEN_PATTERN_TMP(ReduceMin)
AKGEN_PATTERN_TMP(ReduceProd)
AKGEN_PATTERN_TMP(ReduceAny)
AKGEN_PATTERN_TMP(ReduceAll)
#undef AKGEN_PATTERN_TMP

// srcShape: b, n, s and h/n of types 1 to 6, the matrix of 7; of another rank the results stay
// unset.
void GetTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                               const uint32_t transposeTypeIn, uint32_t& maxValue,
                               uint32_t& minValue);
void GetConfusionTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                        const uint32_t transposeTypeIn, uint32_t& maxValue,
                                        uint32_t& minValue);

#define AKGEN_LIBRARY_TILINGS(space)                                                           \
  bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform,                \
                      const int32_t inner, const int32_t outter, const int32_t k,              \
                      const uint32_t dataTypeSize, const bool isInitIndex, enum TopKMode mode, \
                      const bool isLargest, space::TopkTiling& topKTiling);                    \
  void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize,           \
                            const uint32_t localWorkSpaceSize,                                 \
                            space::LogSoftMaxTiling& softmaxTiling);                           \
  void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape,                \
                     const uint32_t stackBufferSize, const uint32_t typeSize,                  \
                     space::PadTiling& tiling);                                                \
  void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize,             \
                       const uint32_t typeSize, space::UnPadTiling& tiling);                   \
  void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,     \
                              const uint32_t typeSize, const uint32_t transposeTypeIn,         \
                              space::ConfusionTransposeTiling& tiling);                        \
  void GetConfusionTransposeTilingInfo(                                                        \
      const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,    \
      const uint32_t transposeTypeIn, space::ConfusionTransposeTiling& tiling);                \
  void GetConfusionTransposeOnlyTilingInfo(                                                    \
      const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,    \
      space::ConfusionTransposeTiling& tiling);
AKGEN_LIBRARY_TILINGS(optiling)
AKGEN_LIBRARY_TILINGS(AscendC::tiling)
#undef AKGEN_LIBRARY_TILINGS
}  // namespace AscendC
#endif
