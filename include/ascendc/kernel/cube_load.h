// What brings data into the Cube core's memories: ND2NZ, LoadData and its kin, Fill, BiasTable and
// Fixpipe Buffer.
#ifndef ASCENDC_KERNEL_CUBE_LOAD_H
#define ASCENDC_KERNEL_CUBE_LOAD_H
#include "kernel/cube_params.h"
#include "kernel/data_copy.h"

namespace AscendC {
// A call on the other type of core does nothing.
inline void AkgenIssueCube(const AkgenCube& c) {
#if defined(__DAV_C220_CUBE__)
  akgen_cube(&c);
#endif
}
inline void AkgenSetCube(uint32_t which, uint64_t value) {
#if defined(__DAV_C220_CUBE__)
  akgen_cube_register(which, value);
#endif
}
template <typename D, typename S>
inline AkgenCube AkgenCubeOf(uint8_t op, const LocalTensor<D>& dst, const LocalTensor<S>& src) {
  AkgenCube c = {};
  c.op = op;
  c.dst_type = AkgenDtypeOf<D>::value;
  c.src_type = AkgenDtypeOf<S>::value;
  c.dst_position = static_cast<uint8_t>(dst.GetPosition());
  c.src_position = static_cast<uint8_t>(src.GetPosition());
  c.dst = dst.AkgenPtr();
  c.src = src.AkgenPtr();
  return c;
}
template <typename T>
inline AkgenCube AkgenCubeOf(uint8_t op, const LocalTensor<T>& dst, const GlobalTensor<T>& src) {
  AkgenCube c = {};
  c.op = op;
  c.dst_type = c.src_type = AkgenDtypeOf<T>::value;
  c.dst_position = static_cast<uint8_t>(dst.GetPosition());
  c.src_position = static_cast<uint8_t>(TPosition::GM);
  c.dst = dst.AkgenPtr();
  c.src = src.AkgenPtr();
  return c;
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const Nd2NzParams& p) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_ND2NZ, dst, src);
  const uint32_t fields[] = {p.ndNum,     p.nValue,        p.dValue,       p.srcNdMatrixStride,
                             p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride};
  for (int i = 0; i < 8; ++i) c.n[i] = fields[i];
  AkgenIssueCube(c);
}

template <typename Dst, typename Src>
inline void AkgenLoad2d(const Dst& dst, const Src& src, const LoadData2DParams& p) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_LOAD2D, dst, src);
  const uint32_t fields[] = {p.startIndex, p.repeatTimes, p.srcStride,
                             p.dstGap,     p.ifTranspose, p.addrMode};
  for (int i = 0; i < 6; ++i) c.n[i] = fields[i];
  AkgenIssueCube(c);
}
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LoadData2DParams& p) {
  AkgenLoad2d(dst, src, p);
}
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const LoadData2DParams& p) {
  AkgenLoad2d(dst, src, p);
}
template <typename T, typename U>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const U& src,
                                const LoadData2DParamsV2& p) {
  akgen_unsupported("LoadData with LoadData2DParamsV2 (not on this chip)");
}
template <typename T>
__aicore__ inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                             const LoadData2dTransposeParams& p) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_LOAD2D_TRANSPOSE, dst, src);
  const uint32_t fields[] = {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.dstFracGap};
  for (int i = 0; i < 5; ++i) c.n[i] = fields[i];
  AkgenIssueCube(c);
}
template <typename T, typename U>
__aicore__ inline void LoadDataWithSparse(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                          const LocalTensor<U>& index, const LoadData2DParams& p) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_LOAD_SPARSE, dst, src);
  c.n[0] = p.startIndex;
  c.n[1] = p.repeatTimes;
  c.src1_type = AkgenDtypeOf<U>::value;
  c.src1_position = static_cast<uint8_t>(index.GetPosition());
  c.src1 = index.AkgenPtr();
  AkgenIssueCube(c);
}

template <typename Params>
inline void AkgenNeedPlain3d(const Params& p) {
#if defined(__DAV_C220_CUBE__)
  if (p.enSmallK) akgen_broken_rule("LoadData (3D): enSmallK is false on this chip");
#endif
}
template <typename T, const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LoadData3DParamsV2<T>& p) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_LOAD3D, dst, src);
  for (int i = 0; i < 4; ++i) c.n[AKGEN_L3D_PAD_LEFT + i] = p.padList[i];
  c.n[AKGEN_L3D_HEIGHT] = p.l1H;
  c.n[AKGEN_L3D_WIDTH] = p.l1W;
  c.n[AKGEN_L3D_CHANNELS] = p.channelSize;
  c.n[AKGEN_L3D_K_EXTENSION] = p.kExtension;
  c.n[AKGEN_L3D_M_EXTENSION] = p.mExtension;
  c.n[AKGEN_L3D_K_START] = p.kStartPt;
  c.n[AKGEN_L3D_M_START] = p.mStartPt;
  c.n[AKGEN_L3D_STRIDE_W] = p.strideW;
  c.n[AKGEN_L3D_STRIDE_H] = p.strideH;
  c.n[AKGEN_L3D_FILTER_W] = p.filterW + (p.filterSizeW ? 256 : 0);
  c.n[AKGEN_L3D_FILTER_H] = p.filterH + (p.filterSizeH ? 256 : 0);
  c.n[AKGEN_L3D_DILATION_W] = p.dilationFilterW;
  c.n[AKGEN_L3D_DILATION_H] = p.dilationFilterH;
  c.n[AKGEN_L3D_TRANSPOSE] = p.enTranspose;
  c.n[AKGEN_L3D_REGISTERS] = (defaultConfig.isSetFMatrix ? 0u : 1u) |
                             (defaultConfig.isSetPadding ? 0u : 2u) | (p.fMatrixCtrl ? 4u : 0u);
  AkgenNeedPlain3d(p);
  c.value = AkgenBits(p.padValue);
  AkgenIssueCube(c);
}
template <typename T>
__aicore__ inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LoadData3DParamsV2Pro& p) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_LOAD3D, dst, src);
  const auto part = [](uint64_t from, int bit, uint32_t mask) {
    return static_cast<uint32_t>(from >> bit) & mask;
  };
  c.n[AKGEN_L3D_CHANNELS] = p.channelSize;
  c.n[AKGEN_L3D_K_EXTENSION] = part(p.extConfig, 0, 0xffff);
  c.n[AKGEN_L3D_M_EXTENSION] = part(p.extConfig, 16, 0xffff);
  c.n[AKGEN_L3D_K_START] = part(p.extConfig, 32, 0xffff);
  c.n[AKGEN_L3D_M_START] = part(p.extConfig, 48, 0xffff);
  c.n[AKGEN_L3D_STRIDE_W] = part(p.filterConfig, 0, 0xff);
  c.n[AKGEN_L3D_STRIDE_H] = part(p.filterConfig, 8, 0xff);
  c.n[AKGEN_L3D_FILTER_W] = part(p.filterConfig, 16, 0xff) + (p.filterSizeW ? 256 : 0);
  c.n[AKGEN_L3D_FILTER_H] = part(p.filterConfig, 24, 0xff) + (p.filterSizeH ? 256 : 0);
  c.n[AKGEN_L3D_DILATION_W] = part(p.filterConfig, 32, 0xff);
  c.n[AKGEN_L3D_DILATION_H] = part(p.filterConfig, 40, 0xff);
  c.n[AKGEN_L3D_TRANSPOSE] = p.enTranspose;
  c.n[AKGEN_L3D_REGISTERS] = p.fMatrixCtrl ? 7 : 3;
  AkgenNeedPlain3d(p);
  AkgenIssueCube(c);
}
// Names that public kernels take from below the interface.
template <typename T>
__aicore__ inline void LoadDataImpl(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                    const LoadData3DParamsV2<T>& p) {
  LoadData(dst, src, p);
}

__aicore__ inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
                                  const FmatrixMode& mode) {
  uint64_t bits = l1H | static_cast<uint64_t>(l1W) << 16;
  for (int i = 0; i < 4; ++i) bits |= static_cast<uint64_t>(padList[i]) << (32 + 8 * i);
  AkgenSetCube(
      mode == FmatrixMode::FMATRIX_LEFT ? AKGEN_CUBE_REG_FMATRIX : AKGEN_CUBE_REG_FMATRIX_RIGHT,
      bits);
}
__aicore__ inline void Load3DSetFMatrixCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[4]) {
  SetFmatrix(l1H, l1W, padList, FmatrixMode::FMATRIX_LEFT);
}
template <typename T>
__aicore__ inline void SetLoadDataPaddingValue(const T padValue) {
  AkgenSetCube(AKGEN_CUBE_REG_PAD_VALUE, AkgenBits(padValue));
}
__aicore__ inline void SetLoadDataRepeat(const LoadDataRepeatParam& p) {
  AkgenSetCube(AKGEN_CUBE_REG_REPEAT, p.repeatStride | static_cast<uint64_t>(p.repeatTime) << 16 |
                                          static_cast<uint64_t>(p.repeatMode) << 24);
}
__aicore__ inline void SetLoadDataBoundary(uint32_t boundary) {
  AkgenSetCube(AKGEN_CUBE_REG_BOUNDARY, boundary);
}

template <typename T>
__aicore__ inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<T>& p) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Ascend C: Fill takes types of 16 and 32 bits");
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_FILL, dst, dst);
  c.n[0] = p.repeatTimes;
  c.n[1] = p.blockNum;
  c.n[2] = p.dstGap;
  c.value = AkgenBits(p.initValue);
  AkgenIssueCube(c);
}
template <typename T>
__aicore__ inline void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<T>& p) {
  Fill(dst, p);
}

template <typename T, typename U>
inline void AkgenToTable(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                         const DataCopyParams& p) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_TO_TABLE, dst, src);
  c.n[0] = p.blockCount;
  c.n[1] = p.blockLen;
  c.n[2] = p.srcStride;
  c.n[3] = p.dstStride;
  AkgenIssueCube(c);
}
// To a BiasTable of floats; types that are named both need not differ.
template <
    typename T, typename U,
    std::enable_if_t<
        std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, float>), int> = 0>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                                const DataCopyParams& p) {
  AkgenToTable(dst, src, p);
}
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_CUBE_LOAD_H
