// Sum and Mean of rows, Broadcast, Select with a mask of bytes, Fill of global memory.
#ifndef AKGEN_KERNEL_ADV_SHAPE_H
#define AKGEN_KERNEL_ADV_SHAPE_H
#include "kernel/init_output.h"
#include "kernel/vec_fill.h"

namespace AscendC {

// outter rows of n elements, inner apart (n rounded up to 32 bytes); dst gets one element per row.
struct SumParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};
struct MeanParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};

namespace akgen_impl {
template <typename T, typename Params>
AKGEN_HELPER void ReduceRows(uint16_t op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                             const LocalTensor<uint8_t>* tmp, const Params& p, bool in_float) {
  AKGEN_REQUIRE_DTYPE("Sum or Mean", "half, float", kIsOneOf<T, half, float>);
  AkgenVec v = Start(op, dst, src);
  Scratch(v, tmp);
  v.flag = in_float;
  v.aux[0] = p.outter;
  v.aux[1] = p.inner;
  v.aux[2] = p.n;
  Whole(v, 1);
  akgen_vec(&v);
}
}  // namespace akgen_impl

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SumParams& sumParams) {
  akgen_impl::ReduceRows(AKGEN_OP_SumRows, dstTensor, srcTensor, &sharedTmpBuffer, sumParams,
                         false);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           const SumParams& sumParams) {
  akgen_impl::ReduceRows(AKGEN_OP_SumRows, dstTensor, srcTensor, nullptr, sumParams, false);
}
// accType = float makes half data accumulate in float.
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const MeanParams& meanParams) {
  static_assert(sizeof(accType) >= sizeof(T),
                "Ascend C: Mean adds up in a type no narrower than the data");
  akgen_impl::ReduceRows(AKGEN_OP_MeanRows, dstTensor, srcTensor, &sharedTmpBuffer, meanParams,
                         __is_same(accType, float));
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const MeanParams& meanParams) {
  static_assert(sizeof(accType) >= sizeof(T),
                "Ascend C: Mean adds up in a type no narrower than the data");
  akgen_impl::ReduceRows(AKGEN_OP_MeanRows, dstTensor, srcTensor, nullptr, meanParams,
                         __is_same(accType, float));
}

namespace akgen_impl {
template <typename T, int32_t dim, int32_t axis>
AKGEN_HELPER void RunBroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const uint32_t* dst_shape, const uint32_t* src_shape,
                               const LocalTensor<uint8_t>* tmp) {
  AKGEN_REQUIRE_DTYPE("Broadcast", "8-, 16- and 32-bit dtypes", kTakes<AKGEN_OP_BroadCast, T>);
  static_assert(dim == 1 || dim == 2, "Ascend C: Broadcast takes tensors of 1 or 2 dimensions");
  static_assert(axis >= 0 && axis < dim,
                "Ascend C: Broadcast takes an axis below the number of dimensions");
  AkgenVec v = Start(AKGEN_OP_BroadCast, dst, src);
  Scratch(v, tmp);
  v.aux[0] = dim;
  v.aux[1] = axis;
  v.aux[2] = dst_shape[0] | (dim == 2 ? static_cast<uint64_t>(dst_shape[dim - 1]) << 32 : 0);
  v.aux[3] = src_shape[0] | (dim == 2 ? static_cast<uint64_t>(src_shape[dim - 1]) << 32 : 0);
  Whole(v, 1);
  akgen_vec(&v);
}
}  // namespace akgen_impl

// Repeats src along the axis whose source size is 1. Two names, one function.
#define AKGEN_BROADCAST(Name)                                                                 \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim],     \
                              LocalTensor<uint8_t>& sharedTmpBuffer) {                        \
    akgen_impl::RunBroadCast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape,            \
                                           &sharedTmpBuffer);                                 \
  }                                                                                           \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim]) {   \
    akgen_impl::RunBroadCast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape, nullptr);  \
  }
AKGEN_BROADCAST(Broadcast)
AKGEN_BROADCAST(BroadCast)
#undef AKGEN_BROADCAST

// firstAxis rows; srcLastAxis data and maskLastAxis mask elements per row.
struct SelectWithBytesMaskShapeInfo {
  __aicore__ SelectWithBytesMaskShapeInfo() {}
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

namespace akgen_impl {
// A mask element of zero takes the first source, any other the second.
template <typename T, typename U>
AKGEN_HELPER void SelectBytes(const LocalTensor<T>& dst, const LocalTensor<T>& tensor, T scalar,
                              const LocalTensor<U>& mask, const LocalTensor<uint8_t>& tmp,
                              const SelectWithBytesMaskShapeInfo& info, bool scalar_is_second) {
  AKGEN_REQUIRE_DTYPE("Select with a mask of bytes", "half, float",
                      kTakes<AKGEN_OP_SelectWithBytesMask, T>);
  AKGEN_REQUIRE_DTYPE("the mask of Select with bytes",
                      "bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t",
                      kIsOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>);
  AkgenVec v = Start(AKGEN_OP_SelectWithBytesMask, dst, tensor);
  v.src1_type = Dtype<U>();
  v.scalar = AkgenBits(scalar);
  Scratch(v, &tmp);
  v.flag = scalar_is_second;
  v.aux[0] = reinterpret_cast<uint64_t>(Address(mask));
  v.aux[1] = info.firstAxis | static_cast<uint64_t>(info.srcLastAxis) << 32;
  v.aux[2] = info.maskLastAxis;
  Whole(v, 1);
  akgen_vec(&v);
}
}  // namespace akgen_impl

#define AKGEN_SELECT_BYTES(Name)                                                                 \
  template <typename T, typename U, bool isReuseMask = true>                                     \
  __aicore__ inline void Name(                                                                   \
      const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask, \
      const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info) {   \
    akgen_impl::SelectBytes(dst, src0, src1, mask, sharedTmpBuffer, info, true);                 \
  }                                                                                              \
  template <typename T, typename U, bool isReuseMask = true>                                     \
  __aicore__ inline void Name(                                                                   \
      const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1, const LocalTensor<U>& mask, \
      const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info) {   \
    akgen_impl::SelectBytes(dst, src1, src0, mask, sharedTmpBuffer, info, false);                \
  }
AKGEN_SELECT_BYTES(Select)
AKGEN_SELECT_BYTES(SelectWithBytesMask)
#undef AKGEN_SELECT_BYTES

// The newer names of InitOutput: gmWorkspaceAddr[0 … size) = value.
template <typename T>
__aicore__ inline void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value) {
  InitOutput(gmWorkspaceAddr, static_cast<uint32_t>(size), value);
}
template <typename T>
__aicore__ inline void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size,
                                        const T value) {
  Fill(gmWorkspaceAddr, size, value);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_SHAPE_H
