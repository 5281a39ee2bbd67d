// Host side of the normalisations (kernel/adv_norm.h): working space in bytes between minValue
// (works) and maxValue, and the tiling structs. A tiling gets the shapes and how many elements the
// buffer of stackBufferSize bytes holds at once; shapes that the functions do not take leave all
// unset. Shapes are {B, S, H, original H} where four are wanted, {B, S, H} where three, {A, R}
// where two.
#ifndef AKGEN_TILING_NORM_TILING_H
#define AKGEN_TILING_NORM_TILING_H
#include "graph/tensor.h"
#include "tiling/library_tilings.h"

namespace AscendC {
using TensorShape = ge::Shape;

void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                               const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                               const bool isReuseSource, const bool isComputeRstd,
                               const bool isOnlyOutput, uint32_t& maxValue, uint32_t& minValue);
void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeU,
                               const uint32_t typeSizeT, const bool isReuseSource,
                               const bool isComputeRstd, const bool isOnlyOutput,
                               uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormGradMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                   const bool isReuseSource, uint32_t& maxValue,
                                   uint32_t& minValue);
void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                       const bool isReuseSource, uint32_t& maxValue,
                                       uint32_t& minValue);
void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeT,
                                   const uint32_t typeSizeU, const bool isReuseSource,
                                   const bool isInplace, uint32_t& maxValue, uint32_t& minValue);
void GetWelfordFinalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                     const bool isReuseSource, uint32_t& maxValue,
                                     uint32_t& minValue);
void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                               const bool isReuseSource, const uint32_t groupNum,
                               uint32_t& maxValue, uint32_t& minValue);
// False where the shape is not taken.
bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                             uint32_t& maxValue, uint32_t& minValue,
                             const bool isBasicBlock = false);
bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                              const bool isReuseSource, const bool isBasicBlock, uint32_t& maxValue,
                              uint32_t& minValue);
bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& originSrcShape,
                               const uint32_t typeSize, const bool isReuseSource,
                               uint32_t& maxValue, uint32_t& minValue,
                               const bool isBasicBlock = false);

// Each for the class and the plain struct.
#define AKGEN_NORM_TILINGS(space)                                                                  \
  void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,       \
                                const uint32_t typeSize, const bool isReuseSource,                 \
                                space::LayerNormTiling& tiling);                                   \
  void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,       \
                                const uint32_t typeSize, const bool isReuseSource,                 \
                                const bool isComputeRstd, space::LayerNormSeparateTiling& tiling); \
  void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,    \
                                    const uint32_t typeSize, const bool isReuseSource,             \
                                    space::LayerNormGradTiling& tiling);                           \
  void GetLayerNormGradBetaNDTilingInfo(                                                           \
      const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,         \
      const bool isReuseSource, space::LayerNormGradBetaTiling& tiling);                           \
  void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,       \
                                const uint32_t typeSize, const bool isReuseSource,                 \
                                const uint32_t groupNum, space::GroupNormTiling& tiling);          \
  bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,        \
                            const uint32_t stackBufferByteSize, const uint32_t typeSize,           \
                            space::RmsNormTiling& tiling, const bool isBasicBlock = false);        \
  bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,       \
                             const uint32_t stackBufferSize, const uint32_t typeSize,              \
                             const bool isReuseSource, const bool isBasicBlock,                    \
                             space::DeepNormTiling& tiling);                                       \
  bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,    \
                                const uint32_t stackBufferByteSize, const uint32_t typeSize,       \
                                const bool isReuseSource, space::BatchNormTiling& tilling,         \
                                const bool isBasicBlock = false);
AKGEN_NORM_TILINGS(optiling)
AKGEN_NORM_TILINGS(AscendC::tiling)
#undef AKGEN_NORM_TILINGS
}  // namespace AscendC
#endif
