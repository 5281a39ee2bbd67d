// Get<Name>MaxMinTmpSize: bytes of working space a library function takes; between minValue (works)
// and maxValue (fastest). Get<Name>TmpBufferFactorSize: the same as buffers of the input's size
// (maxLiveNodeCount) plus bytes. An empty shape leaves the results unset.
#ifndef AKGEN_TILING_TMP_SIZE_TILING_H
#define AKGEN_TILING_TMP_SIZE_TILING_H
#include "graph/tensor.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {
using TensorShape = ge::Shape;

// Rows of akgen/vec_ops.inc say for which functions and how much.
#define AKGEN_TMP_BYTES(name, ...)                                                    \
  void Get##name##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, \
                                const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
#define AKGEN_TMP_SIZE(name, ...)                                                          \
  AKGEN_TMP_BYTES(name)                                                                    \
  void Get##name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, \
                                      uint32_t& extraBuffer);
#include "akgen/vec_ops.inc"

void GetClampMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                           const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                            uint32_t& maxValue, uint32_t& minValue, const bool isReuseSource);
void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                  uint32_t& extraBuffer);
void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                 uint32_t& maxValue, uint32_t& minValue);
void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf);
// One dimension counts as one row; other than one or two leave the sizes unset and the factors
// zero.
void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetAscendDequantTmpBufferFactorSize(const TensorShape& srcShape, uint32_t& maxLiveNodeCount,
                                         uint32_t& extraBuf);
uint32_t GetGeluMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize);
uint32_t GetGeluMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize);
void GetGeluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                          uint32_t& minValue);
// Always true.
bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                         const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetExpTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                               uint32_t& extraBuffer);
void GetLgammaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                            const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetLgammaTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                  uint32_t& extraBuffer);
// A shape of one dimension of 1 stands for a scalar.
void GetPowerMaxMinTmpSize(const TensorShape& srcShape1, const TensorShape& srcShape2,
                           const bool typeIsInt, const uint32_t typeSize, const bool isReuseSource,
                           uint32_t& maxValue, uint32_t& minValue);
void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                           const TensorShape& srcShape, const uint32_t typeSize,
                           const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
// A matrix whose rows are multiples of 32 bytes.
void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                            const bool isLastAxis, const bool isReuseSource, uint32_t& maxValue,
                            uint32_t& minValue);
void GetSiluTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                    uint32_t& maxValue, uint32_t& minValue);
void GetSwishTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                     uint32_t& maxValue, uint32_t& minValue);
// A row of n elements, summed in accTypeSize.
void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize,
                          const bool isReuseSource, uint32_t& maxSize, uint32_t& minSize);
void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool isReuseSource,
                         uint32_t& maxSize, uint32_t& minSize);
// One or two dimensions; a source size differs from the destination's only where it is 1.
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                               const TensorShape& srcShape, const TensorShape& dstShape,
                               uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                               uint32_t& minValue);
// Either source may be a scalar (one element).
void GetSelectMaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                            const uint32_t srcTypeSize, const TensorShape& maskShape,
                            const uint32_t maskTypeSize, const bool isReuseMask, uint32_t& maxValue,
                            uint32_t& minValue);
void GetSelectWithBytesMaskMaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                                         const uint32_t srcTypeSize, const TensorShape& maskShape,
                                         const uint32_t maskTypeSize, const bool isReuseMask,
                                         uint32_t& maxValue, uint32_t& minValue);
}  // namespace AscendC
#endif
