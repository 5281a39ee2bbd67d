// TransData: between NCDHW and the formats whose channels (and batches) lie in blocks of 16.
//
// Rows of H * W elements of NCDHW begin at DataBlocks: they are filled up to 16 elements. Channels
// and batches that fill up blocks come out as zeros.
#ifndef AKGEN_KERNEL_ADV_TRANSDATA_H
#define AKGEN_KERNEL_ADV_TRANSDATA_H
#include "akgen/data_format.h"
#include "kernel/adv_norm.h"
#include "kernel/layout.h"

namespace AscendC {
template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};

namespace akgen_impl {
struct Volume {
  uint32_t n, c, d, h, w;
};
template <size_t i, typename L>
AKGEN_HELPER uint32_t Extent(const L& layout) {
  return static_cast<uint32_t>(std::get<i>(layout.GetShape()));
}
template <typename L>
AKGEN_HELPER Volume VolumeOf(const L& ncdhw) {
  return {Extent<0>(ncdhw), Extent<1>(ncdhw), Extent<2>(ncdhw), Extent<3>(ncdhw), Extent<4>(ncdhw)};
}
template <bool fractal, typename L, size_t... i>
AKGEN_HELPER bool HasBlocksOf(const Volume& v, const L& blocked, std::index_sequence<i...>) {
  const akgen::BlockedShape want = akgen::BlockedShapeOf(fractal, v.n, v.c, v.d, v.h, v.w);
  return ((Extent<i>(blocked) == want.extent[i]) && ...);
}
template <bool fractal, typename L>
AKGEN_HELPER bool HasBlocksOf(const Volume& v, const L& blocked) {
  return HasBlocksOf<fractal>(v, blocked, std::make_index_sequence<fractal ? 7 : 6>());
}
template <typename L>
inline constexpr size_t kDimensions = 0;
template <typename S, typename D>
inline constexpr size_t kDimensions<Layout<S, D>> = std::tuple_size_v<S>;

template <const TransDataConfig& config, typename T, typename U, typename S>
AKGEN_HELPER void RunTransData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint8_t>* tmp,
                               const TransDataParams<U, S>& params) {
  constexpr akgen::TransDataKind kind = akgen::TransDataKindOf(config);
  constexpr bool fractal = kind == akgen::kNcdhwToFractal || kind == akgen::kFractalToNcdhw;
  constexpr bool blocks = kind == akgen::kNcdhwToFractal || kind == akgen::kNcdhwToBlocks;
  static_assert(
      kind != akgen::kNoTransData,
      "Ascend C: TransData converts between NCDHW and NDC1HWC0 or FRACTAL_Z_3D, either way");
  static_assert(is_layout_v<U> && is_layout_v<S>,
                "Ascend C: TransDataParams is made of two Layouts");
  static_assert(kDimensions<U> == (blocks    ? 5
                                   : fractal ? 7
                                             : 6) &&
                    kDimensions<S> == (blocks ? fractal ? 7 : 6 : 5),
                "Ascend C: the shapes of TransData have the dimensions of their formats");
  AKGEN_REQUIRE_DTYPE("TransData", "int16_t, uint16_t, half, bfloat16_t",
                      kTakes<AKGEN_OP_TransData, T>);
  AkgenVec v = Start(AKGEN_OP_TransData, dst, src);
  Volume of = {};
  if constexpr (blocks) {
    of = VolumeOf(params.srcLayout);
    v.flag = !HasBlocksOf<fractal>(of, params.dstLayout);
  } else {
    of = VolumeOf(params.dstLayout);
    v.flag = !HasBlocksOf<fractal>(of, params.srcLayout);
  }
  v.mode = kind;
  v.aux[1] = Sizes(of.n, of.c);
  v.aux[2] = Sizes(of.d, of.d * of.h * of.w);
  RunLibrary(v, 1, tmp, dst, src);
}
}  // namespace akgen_impl

template <const TransDataConfig& config, typename T, typename U, typename S>
__aicore__ inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                                 const LocalTensor<uint8_t>& sharedTmpBuffer,
                                 const TransDataParams<U, S>& params) {
  akgen_impl::RunTransData<config>(dstTensor, srcTensor, &sharedTmpBuffer, params);
}
template <const TransDataConfig& config, typename T, typename U, typename S>
__aicore__ inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                                 const TransDataParams<U, S>& params) {
  akgen_impl::RunTransData<config>(dstTensor, srcTensor, akgen_impl::NoTmp(), params);
}
}  // namespace AscendC
#endif  // AKGEN_KERNEL_ADV_TRANSDATA_H
