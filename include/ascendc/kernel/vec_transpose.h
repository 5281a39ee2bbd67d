// Transpose of a 16x16 block, and TransDataTo5HD, the 16-row transpose that layout changes are made
// of.
#ifndef AKGEN_KERNEL_VEC_TRANSPOSE_H
#define AKGEN_KERNEL_VEC_TRANSPOSE_H
#include "kernel/vec_detail.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src) {
  AKGEN_REQUIRE_DTYPE("Transpose", "int16_t, uint16_t, half",
                      akgen_impl::kIsOneOf<T, int16_t, uint16_t, half>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Transpose, dst, src);
  akgen_impl::Whole(v, 1);
  akgen_vec(&v);
}

namespace akgen_impl {
// Runs one TransDataTo5HD; the lists hold 16 addresses each, one per row.
AKGEN_HELPER void TransRows(uint8_t dtype, const uint64_t* dst_list, const uint64_t* src_list,
                            const TransDataTo5HDParams& p) {
  AkgenVec v = {};
  v.op = AKGEN_OP_TransDataTo5HD;
  v.set_mask = 1;
  v.dst_type = v.src_type = dtype;
  v.src1_type = AKGEN_NO_DTYPE;
  v.aux[0] = reinterpret_cast<uint64_t>(dst_list);
  v.aux[1] = reinterpret_cast<uint64_t>(src_list);
  v.dst = reinterpret_cast<void*>(dst_list[0]);
  v.src0 = reinterpret_cast<const void*>(src_list[0]);
  v.mode = static_cast<uint8_t>((p.dstHighHalf ? 1 : 0) | (p.srcHighHalf ? 2 : 0));
  v.dst_rep = p.dstRepStride;
  v.src0_rep = p.srcRepStride;
  Whole(v, p.repeatTimes);
  akgen_vec(&v);
}

constexpr int kTransRows = 16;

// The tensors of a list become addresses.
template <typename T>
AKGEN_HELPER void TransTensors(const LocalTensor<T>* dst_list, const LocalTensor<T>* src_list,
                               const TransDataTo5HDParams& p) {
  AKGEN_REQUIRE_DTYPE(
      "TransDataTo5HD", "8-, 16- and 32-bit dtypes",
      kIsOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, float, int32_t, uint32_t>);
  uint64_t dst[kTransRows], src[kTransRows];
  for (int i = 0; i < kTransRows; ++i) {
    dst[i] = reinterpret_cast<uint64_t>(Address(dst_list[i]));
    src[i] = reinterpret_cast<uint64_t>(Address(src_list[i]));
  }
  TransRows(Dtype<T>(), dst, src, p);
}
}  // namespace akgen_impl

template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[akgen_impl::kTransRows],
                                      const LocalTensor<T> (&srcList)[akgen_impl::kTransRows],
                                      const TransDataTo5HDParams& nchwconvParams) {
  akgen_impl::TransTensors(&dstList[0], &srcList[0], nchwconvParams);
}

// Lists of addresses, as LocalTensor::GetPhyAddr() gives them.
template <typename T>
__aicore__ inline void TransDataTo5HD(uint64_t dstList[akgen_impl::kTransRows],
                                      uint64_t srcList[akgen_impl::kTransRows],
                                      const TransDataTo5HDParams& nchwconvParams) {
  AKGEN_REQUIRE_DTYPE(
      "TransDataTo5HD", "8-, 16- and 32-bit dtypes",
      akgen_impl::kIsOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, float, int32_t, uint32_t>);
  akgen_impl::TransRows(akgen_impl::Dtype<T>(), dstList, srcList, nchwconvParams);
}

// The address lists lie in UB themselves, 16 words each.
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst,
                                      const LocalTensor<uint64_t>& src,
                                      const TransDataTo5HDParams& nchwconvParams) {
  auto* dst_list = reinterpret_cast<const uint64_t*>(akgen_impl::Address(dst));
  auto* src_list = reinterpret_cast<const uint64_t*>(akgen_impl::Address(src));
  akgen_scalar_read(dst_list, sizeof(uint64_t) * akgen_impl::kTransRows, AKGEN_SCALAR_LOCAL_TENSOR);
  akgen_scalar_read(src_list, sizeof(uint64_t) * akgen_impl::kTransRows, AKGEN_SCALAR_LOCAL_TENSOR);
  akgen_impl::TransRows(akgen_impl::Dtype<T>(), dst_list, src_list, nchwconvParams);
}

// 4-D forms: ND2ND_B16 is the 16x16 block; NCHW <-> NHWC of nSize x cSize x hSize x wSize elements.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<uint8_t>& sharedTmpBuffer,
                                 const TransposeParamsExt& transposeParams) {
  AKGEN_REQUIRE_DTYPE(
      "Transpose", "8-, 16- and 32-bit dtypes",
      akgen_impl::kIsOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, float, int32_t, uint32_t>);
  AkgenVec v = akgen_impl::Start(AKGEN_OP_Transpose, dst, src);
  akgen_impl::Scratch(v, &sharedTmpBuffer);
  const TransposeParamsExt& p = transposeParams;
  if (p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC)
    v.aux[0] = 1;
  else if (p.transposeType == TransposeType::TRANSPOSE_NHWC2NCHW)
    v.aux[0] = 2;
  else if (p.transposeType != TransposeType::TRANSPOSE_ND2ND_B16)
    return akgen_unsupported("Transpose of this type");
  v.aux[1] = p.nSize | static_cast<uint64_t>(p.cSize) << 16 | static_cast<uint64_t>(p.hSize) << 32 |
             static_cast<uint64_t>(p.wSize) << 48;
  akgen_impl::Whole(v, 1);
  akgen_vec(&v);
}

}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_TRANSPOSE_H
