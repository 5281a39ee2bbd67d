// Reductions: inside a repeat (ReduceRepeat, older WholeReduce*), inside a DataBlock
// (ReduceDataBlock, older BlockReduce*), of neighbours (ReducePairElem, older PairReduceSum), over
// a tensor (ReduceSum/Max/Min), and the registers that keep their last result.
//
// The newer names take (mask, repeatTime), the older BlockReduce*, PairReduceSum and
// RepeatReduceSum take (repeatTime, mask). dstRepStride counts results (a value+index pair is one
// result of two elements); source strides count 32-byte DataBlocks.
#ifndef AKGEN_KERNEL_VEC_REDUCE_H
#define AKGEN_KERNEL_VEC_REDUCE_H
#include "kernel/vec_detail.h"

namespace AscendC {
namespace akgen_impl {

template <ReduceType type>
constexpr uint16_t PickReduce(uint16_t sum, uint16_t max, uint16_t min) {
  return type == ReduceType::SUM ? sum : type == ReduceType::MAX ? max : min;
}

AKGEN_HELPER uint64_t ReduceMask(int32_t mask) {
  return static_cast<uint64_t>(static_cast<int64_t>(mask));
}
AKGEN_HELPER const uint64_t* ReduceMask(const uint64_t* mask) { return mask; }

// One reduction instruction in its sliced form.
template <typename T, typename Mask>
AKGEN_HELPER void Reduce(uint16_t op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                         Mask mask, int32_t repeat, int32_t dst_rep, int32_t src_blk,
                         int32_t src_rep, bool is_set_mask, uint8_t order) {
  AkgenVec v = Start(op, dst, src);
  Extent(v, ReduceMask(mask), static_cast<uint32_t>(repeat), is_set_mask);
  v.dst_rep = static_cast<uint16_t>(dst_rep);
  v.src0_blk = static_cast<uint16_t>(src_blk);
  v.src0_rep = static_cast<uint16_t>(src_rep);
  v.mode = order;
  akgen_vec(&v);
}

}  // namespace akgen_impl

// The newer names. Mask is int32_t (leading elements) or uint64_t[] (bits).
#define AKGEN_REDUCE_NEW(Mask)                                                                    \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                 \
  __aicore__ inline void ReduceDataBlock(                                                         \
      const LocalTensor<T>& dst, const LocalTensor<U>& src, const Mask, const int32_t repeatTime, \
      const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {       \
    AKGEN_REQUIRE_DTYPE("ReduceDataBlock", "half, float, the same for dst and src",               \
                        akgen_impl::kIsOneOf<T, half, float>&& __is_same(T, U));                  \
    akgen_impl::Reduce(                                                                           \
        akgen_impl::PickReduce<reduceType>(AKGEN_OP_BlockReduceSum, AKGEN_OP_BlockReduceMax,      \
                                           AKGEN_OP_BlockReduceMin),                              \
        dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask, 0);      \
  }                                                                                               \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                 \
  __aicore__ inline void ReducePairElem(                                                          \
      const LocalTensor<T>& dst, const LocalTensor<U>& src, const Mask, const int32_t repeatTime, \
      const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {       \
    AKGEN_REQUIRE_DTYPE("ReducePairElem", "half, float, the same for dst and src",                \
                        akgen_impl::kIsOneOf<T, half, float>&& __is_same(T, U));                  \
    static_assert(reduceType == ReduceType::SUM,                                                  \
                  "Ascend C: ReducePairElem takes ReduceType::SUM only");                         \
    akgen_impl::Reduce(AKGEN_OP_PairReduceSum, dst, src, mask, repeatTime, dstRepStride,          \
                       srcBlkStride, srcRepStride, isSetMask, 0);                                 \
  }                                                                                               \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                 \
  __aicore__ inline void ReduceRepeat(                                                            \
      const LocalTensor<T>& dst, const LocalTensor<U>& src, const Mask, const int32_t repeatTime, \
      const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,         \
      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                       \
    AKGEN_REQUIRE_DTYPE("ReduceRepeat", "half, float, the same for dst and src",                  \
                        akgen_impl::kIsOneOf<T, half, float>&& __is_same(T, U));                  \
    akgen_impl::Reduce(                                                                           \
        akgen_impl::PickReduce<reduceType>(AKGEN_OP_WholeReduceSum, AKGEN_OP_WholeReduceMax,      \
                                           AKGEN_OP_WholeReduceMin),                              \
        dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, isSetMask,          \
        static_cast<uint8_t>(order));                                                             \
  }
AKGEN_REDUCE_NEW(int32_t mask)
AKGEN_REDUCE_NEW(uint64_t mask[])
#undef AKGEN_REDUCE_NEW

// The older names with (repeatTime, mask).
#define AKGEN_REDUCE_OLD(Name, Mask)                                                            \
  template <typename T, bool isSetMask = true>                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,             \
                              const int32_t repeatTime, const Mask, const int32_t dstRepStride, \
                              const int32_t srcBlkStride, const int32_t srcRepStride) {         \
    AKGEN_REQUIRE_DTYPE(#Name, "half, float", akgen_impl::kTakes<AKGEN_OP_##Name, T>);          \
    akgen_impl::Reduce(AKGEN_OP_##Name, dst, src, mask, repeatTime, dstRepStride, srcBlkStride, \
                       srcRepStride, isSetMask, 0);                                             \
  }
AKGEN_REDUCE_OLD(BlockReduceSum, int32_t mask)
AKGEN_REDUCE_OLD(BlockReduceSum, uint64_t mask[])
AKGEN_REDUCE_OLD(BlockReduceMax, int32_t mask)
AKGEN_REDUCE_OLD(BlockReduceMax, uint64_t mask[])
AKGEN_REDUCE_OLD(BlockReduceMin, int32_t mask)
AKGEN_REDUCE_OLD(BlockReduceMin, uint64_t mask[])
AKGEN_REDUCE_OLD(PairReduceSum, int32_t mask)
AKGEN_REDUCE_OLD(PairReduceSum, uint64_t mask[])
#undef AKGEN_REDUCE_OLD

template <typename T, bool isSetMask = true>
__aicore__ inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                       const int32_t repeatTime, const int32_t mask,
                                       const int32_t dstBlkStride, const int32_t srcBlkStride,
                                       const int32_t dstRepStride, const int32_t srcRepStride) {
  AKGEN_REQUIRE_DTYPE("RepeatReduceSum", "half, float",
                      akgen_impl::kTakes<AKGEN_OP_WholeReduceSum, T>);
  (void)dstBlkStride;
  akgen_impl::Reduce(AKGEN_OP_WholeReduceSum, dst, src, mask, repeatTime, dstRepStride,
                     srcBlkStride, srcRepStride, isSetMask, 0);
}

#define AKGEN_WHOLE_REDUCE(Mask)                                                                  \
  template <typename T, bool isSetMask = true>                                                    \
  __aicore__ inline void WholeReduceSum(                                                          \
      const LocalTensor<T>& dst, const LocalTensor<T>& src, const Mask, const int32_t repeatTime, \
      const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {       \
    AKGEN_REQUIRE_DTYPE("WholeReduceSum", "half, float",                                          \
                        akgen_impl::kTakes<AKGEN_OP_WholeReduceSum, T>);                          \
    akgen_impl::Reduce(AKGEN_OP_WholeReduceSum, dst, src, mask, repeatTime, dstRepStride,         \
                       srcBlkStride, srcRepStride, isSetMask, 0);                                 \
  }                                                                                               \
  AKGEN_WHOLE_REDUCE_ORDERED(WholeReduceMax, Mask)                                                \
  AKGEN_WHOLE_REDUCE_ORDERED(WholeReduceMin, Mask)
#define AKGEN_WHOLE_REDUCE_ORDERED(Name, Mask)                                                  \
  template <typename T, bool isSetMask = true>                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Mask, \
                              const int32_t repeatTime, const int32_t dstRepStride,             \
                              const int32_t srcBlkStride, const int32_t srcRepStride,           \
                              ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {             \
    AKGEN_REQUIRE_DTYPE(#Name, "half, float", akgen_impl::kTakes<AKGEN_OP_##Name, T>);          \
    akgen_impl::Reduce(AKGEN_OP_##Name, dst, src, mask, repeatTime, dstRepStride, srcBlkStride, \
                       srcRepStride, isSetMask, static_cast<uint8_t>(order));                   \
  }
AKGEN_WHOLE_REDUCE(int32_t mask)
AKGEN_WHOLE_REDUCE(uint64_t mask[])
#undef AKGEN_WHOLE_REDUCE
#undef AKGEN_WHOLE_REDUCE_ORDERED

namespace akgen_impl {
// Over a tensor: dst[0] = value, dst[1] = index bits when calIndex. tmp is scratch memory of the
// instruction.
template <typename T>
AKGEN_HELPER AkgenVec StartTensorReduce(uint16_t op, const LocalTensor<T>& dst,
                                        const LocalTensor<T>& src, const LocalTensor<T>& tmp,
                                        bool cal_index) {
  AkgenVec v = Start(op, dst, src);
  v.tmp = Address(tmp);
  v.flag = cal_index;
  return v;
}
template <typename T, typename Mask>
AKGEN_HELPER void TensorReduce(uint16_t op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<T>& tmp, Mask mask, int32_t repeat,
                               int32_t src_rep, bool cal_index) {
  AkgenVec v = StartTensorReduce(op, dst, src, tmp, cal_index);
  Extent(v, ReduceMask(mask), static_cast<uint32_t>(repeat), true);
  v.src0_blk = 1;
  v.src0_rep = static_cast<uint16_t>(src_rep);
  akgen_vec(&v);
}
}  // namespace akgen_impl

// Sliced forms; Index is the trailing calIndex parameter of Max and Min.
#define AKGEN_TENSOR_REDUCE(Name, Mask, Index, index)                                      \
  template <typename T>                                                                    \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,        \
                              const LocalTensor<T>& sharedTmpBuffer, const Mask,           \
                              const int32_t repeatTime,                                    \
                              const int32_t srcRepStride AKGEN_REDUCE_UNPACK Index) {      \
    AKGEN_REQUIRE_DTYPE(#Name, "half, float", akgen_impl::kTakes<AKGEN_OP_##Name, T>);     \
    akgen_impl::TensorReduce(AKGEN_OP_##Name, dst, src, sharedTmpBuffer, mask, repeatTime, \
                             srcRepStride, index);                                         \
  }
#define AKGEN_REDUCE_UNPACK(...) __VA_ARGS__
AKGEN_TENSOR_REDUCE(ReduceMax, int32_t mask, (, bool calIndex = 0), calIndex)
AKGEN_TENSOR_REDUCE(ReduceMin, int32_t mask, (, bool calIndex = 0), calIndex)
AKGEN_TENSOR_REDUCE(ReduceSum, int32_t mask, (), false)
AKGEN_TENSOR_REDUCE(ReduceMax, uint64_t mask[], (, bool calIndex = 0), calIndex)
AKGEN_TENSOR_REDUCE(ReduceMin, uint64_t mask[], (, bool calIndex = 0), calIndex)
AKGEN_TENSOR_REDUCE(ReduceSum, uint64_t mask[], (), false)
#undef AKGEN_TENSOR_REDUCE
#undef AKGEN_REDUCE_UNPACK

template <typename T>
__aicore__ inline void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<T>& sharedTmpBuffer, const int32_t count,
                                 bool calIndex = 0) {
  AKGEN_REQUIRE_DTYPE("ReduceMin", "half, float", akgen_impl::kTakes<AKGEN_OP_ReduceMin, T>);
  AkgenVec v =
      akgen_impl::StartTensorReduce(AKGEN_OP_ReduceMin, dst, src, sharedTmpBuffer, calIndex);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}
template <typename T>
__aicore__ inline void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<T>& sharedTmpBuffer, const int32_t count,
                                 bool calIndex = 0) {
  AKGEN_REQUIRE_DTYPE("ReduceMax", "half, float", akgen_impl::kTakes<AKGEN_OP_ReduceMax, T>);
  AkgenVec v =
      akgen_impl::StartTensorReduce(AKGEN_OP_ReduceMax, dst, src, sharedTmpBuffer, calIndex);
  akgen_impl::Count(v, count);
  akgen_vec(&v);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<T>& sharedTmpBuffer, const int32_t count) {
  AKGEN_REQUIRE_DTYPE("ReduceSum", "half, float", akgen_impl::kTakes<AKGEN_OP_ReduceSum, T>);
  AkgenVec v = akgen_impl::StartTensorReduce(AKGEN_OP_ReduceSum, dst, src, sharedTmpBuffer, false);
  akgen_impl::Count(v, count);
  v.set_mask = isSetMask;
  akgen_vec(&v);
}

namespace akgen_impl {
// The value whose leading bytes are these bits.
template <typename T>
AKGEN_HELPER T FromBits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
}  // namespace akgen_impl

// Registers of the last ReduceMax/ReduceMin/ReduceRepeat: the value, and the bits of its index in
// the dtype T.
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex) {
  maxMinValue = akgen_impl::FromBits<T>(akgen_get_spr(1));
  maxMinIndex = akgen_impl::FromBits<T>(akgen_get_spr(2));
}
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T& maxMinValue) {
  maxMinValue = akgen_impl::FromBits<T>(akgen_get_spr(1));
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex) {
  GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex);
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T& maxMinValue) {
  GetReduceRepeatMaxMinSpr(maxMinValue);
}

// The accumulated sum of the last ReduceRepeat<SUM>.
template <typename T>
__aicore__ inline T GetReduceRepeatSumSpr() {
  return static_cast<T>(akgen_impl::FromBits<float>(akgen_get_spr(0)));
}
template <typename T>
__aicore__ inline T GetAccVal() {
  return GetReduceRepeatSumSpr<T>();
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_REDUCE_H
