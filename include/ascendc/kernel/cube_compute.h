// Mmad, and Fixpipe, which brings its results out of L0C.
#ifndef ASCENDC_KERNEL_CUBE_COMPUTE_H
#define ASCENDC_KERNEL_CUBE_COMPUTE_H
#include "kernel/cube_load.h"

namespace AscendC {
template <typename T, typename U, typename S>
constexpr bool AkgenIsMmad() {
  return std::is_same_v<U, S> &&
         (SupportType<T, float>() ? SupportType<U, half, float, bfloat16_t>()
                                  : SupportType<T, int32_t>() && SupportType<U, int8_t, int4b_t>());
}
template <typename T, typename U, typename S>
inline AkgenCube AkgenMmadOf(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                             const LocalTensor<S>& filter, const MmadParams& p) {
  static_assert(AkgenIsMmad<T, U, S>(), "Ascend C: Mmad has no form for these types");
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_MMAD, dst, fm);
  c.src1_type = AkgenDtypeOf<S>::value;
  c.src1_position = static_cast<uint8_t>(filter.GetPosition());
  c.src1 = filter.AkgenPtr();
  c.n[AKGEN_MMAD_M] = p.m;
  c.n[AKGEN_MMAD_N] = p.n;
  c.n[AKGEN_MMAD_K] = p.k;
  c.n[AKGEN_MMAD_UNIT_FLAG] = p.unitFlag;
  c.n[AKGEN_MMAD_K_ALIGN] = p.kDirectionAlign;
  return c;
}
template <typename T, typename U, typename S>
__aicore__ inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                            const LocalTensor<S>& filter, const MmadParams& p) {
  AkgenCube c = AkgenMmadOf(dst, fm, filter, p);
  if (p.isBias || !p.cmatrixInitVal) c.n[AKGEN_MMAD_START] = p.cmatrixSource ? 2 : 1;
  AkgenIssueCube(c);
}
template <typename T, typename U, typename S>
__aicore__ inline void MmadImpl(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                                const LocalTensor<S>& filter, const MmadParams& p) {
  Mmad(dst, fm, filter, p);
}
// The position of the bias says where the start values come from: BiasTable, or L0C.
template <typename T, typename U, typename S, typename V>
__aicore__ inline void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                            const LocalTensor<S>& filter, const LocalTensor<V>& bias,
                            const MmadParams& p) {
  static_assert(std::is_same_v<T, V>, "Ascend C: the bias of Mmad has the type of its result");
  AkgenCube c = AkgenMmadOf(dst, fm, filter, p);
  c.n[AKGEN_MMAD_START] = bias.GetPosition() == static_cast<int32_t>(TPosition::C2) ? 2 : 1;
  c.src2_position = static_cast<uint8_t>(bias.GetPosition());
  c.src2 = bias.AkgenPtr();
  AkgenIssueCube(c);
}
template <typename T = int32_t, typename U = int8_t,
          typename std::enable_if<std::is_same<T, int32_t>::value, bool>::type = true,
          typename std::enable_if<std::is_same<U, int8_t>::value, bool>::type = true>
__aicore__ inline void MmadWithSparse(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                                      const LocalTensor<U>& filter, const MmadParams& p) {
  AkgenCube c = AkgenMmadOf(dst, fm, filter, p);
  if (p.isBias || !p.cmatrixInitVal) c.n[AKGEN_MMAD_START] = p.cmatrixSource ? 2 : 1;
  c.n[AKGEN_MMAD_SPARSE] = 1;
  AkgenIssueCube(c);
}
__aicore__ inline void SetHF32Mode(bool hf32Mode) { AkgenSetCube(AKGEN_CUBE_REG_HF32, hf32Mode); }
__aicore__ inline void SetHF32Mode(HF32Mode mode) {
  AkgenSetCube(AKGEN_CUBE_REG_HF32, mode == HF32Mode::ENABLE);
}
__aicore__ inline void SetHF32TransMode(bool mode) {
  AkgenSetCube(AKGEN_CUBE_REG_HF32_TRANS, mode);
}
// In which order results leave the unit; the results are the same.
__aicore__ inline void SetMMRowMajor() {}
__aicore__ inline void SetMMColumnMajor() {}
__aicore__ inline void SetMMLayoutTransform(bool) {}

template <typename T, typename U>
inline void AkgenFixpipeFields(AkgenCube& c, const FixpipeParamsV220& p, CO2Layout format) {
  static_assert(SupportType<U, float, int32_t>(),
                "Ascend C: Fixpipe takes float or int32_t from L0C");
  c.n[AKGEN_FIX_N] = p.nSize;
  c.n[AKGEN_FIX_M] = p.mSize;
  c.n[AKGEN_FIX_SRC_STRIDE] = p.srcStride;
  c.n[AKGEN_FIX_DST_STRIDE] = p.dstStride;
  c.n[AKGEN_FIX_QUANT] = p.quantPre;
  c.n[AKGEN_FIX_RELU] = p.reluEn;
  c.n[AKGEN_FIX_UNIT_FLAG] = p.unitFlag;
  c.n[AKGEN_FIX_ND_NUM] = p.ndNum;
  c.n[AKGEN_FIX_SRC_ND_STRIDE] = p.srcNdStride;
  c.n[AKGEN_FIX_DST_ND_STRIDE] = p.dstNdStride;
  c.n[AKGEN_FIX_ROWS] = format == CO2Layout::ROW_MAJOR;
  c.n[AKGEN_FIX_SPLIT] = p.isChannelSplit;
  c.value = p.deqScalar;
}
template <typename T, typename U>
inline AkgenCube AkgenFixpipeOf(const GlobalTensor<T>& dst, const LocalTensor<U>& src) {
  AkgenCube c = AkgenCubeOf(AKGEN_CUBE_FIXPIPE, src, src);
  c.dst_type = AkgenDtypeOf<T>::value;
  c.dst_position = static_cast<uint8_t>(TPosition::GM);
  c.dst = dst.AkgenPtr();
  return c;
}
template <typename T, typename U>
inline AkgenCube AkgenFixpipeOf(const LocalTensor<T>& dst, const LocalTensor<U>& src) {
  return AkgenCubeOf(AKGEN_CUBE_FIXPIPE, dst, src);
}
template <typename S>
inline void AkgenFixpipeWords(AkgenCube& c, const LocalTensor<S>& words) {
  c.src1 = words.AkgenPtr();
  c.src1_type = AkgenDtypeOf<S>::value;
  c.src1_position = static_cast<uint8_t>(words.GetPosition());
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                               const FixpipeParamsV220& p) {
  AkgenCube c = AkgenFixpipeOf(dst, src);
  AkgenFixpipeFields<T, U>(c, p, config.format);
  AkgenIssueCube(c);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                               const LocalTensor<uint64_t>& cbufWorkspace,
                               const FixpipeParamsV220& p) {
  AkgenCube c = AkgenFixpipeOf(dst, src);
  AkgenFixpipeFields<T, U>(c, p, config.format);
  AkgenFixpipeWords(c, cbufWorkspace);
  AkgenIssueCube(c);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                               const FixpipeParamsV220& p) {
  AkgenCube c = AkgenFixpipeOf(dst, src);
  AkgenFixpipeFields<T, U>(c, p, config.format);
  AkgenIssueCube(c);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
__aicore__ inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                               const LocalTensor<uint64_t>& cbufWorkspace,
                               const FixpipeParamsV220& p) {
  AkgenCube c = AkgenFixpipeOf(dst, src);
  AkgenFixpipeFields<T, U>(c, p, config.format);
  AkgenFixpipeWords(c, cbufWorkspace);
  AkgenIssueCube(c);
}

// The older parameters, in those of now: m rows; strides from start to start.
template <typename T, typename U>
inline void AkgenOldFixpipe(AkgenCube c, const FixpipeParams<U>& p) {
  const Nz2NdParams& nd = p.nz2ndParams;
  FixpipeParamsV220 now;
  now.mSize = static_cast<uint16_t>(p.burstLen * ONE_BLK_SIZE / sizeof(U) / BLOCK_CUBE);
  now.nSize = nd.nz2ndEn ? nd.originalNSize : static_cast<uint16_t>(p.cburstNum * BLOCK_CUBE);
  now.srcStride = static_cast<uint16_t>(p.srcStride * BLOCK_CUBE + AlignUp(now.mSize, BLOCK_CUBE));
  now.dstStride =
      p.dstStride + (nd.nz2ndEn ? 0 : static_cast<uint32_t>(p.burstLen * sizeof(T) / sizeof(U)));
  now.quantPre = p.quantParams.quantPre;
  now.deqScalar = p.quantParams.deqScalar;
  now.ndNum = nd.ndNum, now.srcNdStride = nd.srcNdStride, now.dstNdStride = nd.dstNdStride;
  now.reluEn = p.reluEn;
  now.unitFlag = p.unitFlag;
  AkgenFixpipeFields<T, U>(c, now, nd.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ);
  AkgenIssueCube(c);
}
template <typename T, typename U, typename S = U, typename = std::enable_if_t<std::is_same_v<U, S>>>
__aicore__ inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                               const FixpipeParams<S>& p) {
  AkgenOldFixpipe<T>(AkgenFixpipeOf(dst, src), p);
}
template <typename T, typename U, typename S = U, typename = std::enable_if_t<std::is_same_v<U, S>>>
__aicore__ inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                               const FixpipeParams<S>& p) {
  AkgenOldFixpipe<T>(AkgenFixpipeOf(dst, src), p);
}
template <typename T, typename U, typename S, typename V = U,
          typename = std::enable_if_t<std::is_same_v<U, V>>>
__aicore__ inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                               const LocalTensor<S>& cbufWorkspace, const FixpipeParams<V>& p) {
  AkgenCube c = AkgenFixpipeOf(dst, src);
  AkgenFixpipeWords(c, cbufWorkspace);
  AkgenOldFixpipe<T>(c, p);
}
template <typename T, typename U, typename S, typename V = U,
          typename = std::enable_if_t<std::is_same_v<U, V>>>
__aicore__ inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                               const LocalTensor<S>& cbufWorkspace, const FixpipeParams<V>& p) {
  AkgenCube c = AkgenFixpipeOf(dst, src);
  AkgenFixpipeWords(c, cbufWorkspace);
  AkgenOldFixpipe<T>(c, p);
}

// The older form: quantisation and the shape of several matrices come from registers.
template <typename Dst, typename U>
inline void AkgenCopyOut(const Dst& dst, const LocalTensor<U>& src,
                         const DataCopyCO12DstParams& p) {
  AkgenCube c = AkgenFixpipeOf(dst, src);
  c.n[AKGEN_FIX_N] = p.nSize;
  c.n[AKGEN_FIX_M] = p.mSize;
  c.n[AKGEN_FIX_SRC_STRIDE] = p.srcStride;
  c.n[AKGEN_FIX_DST_STRIDE] = p.dstStride;
  c.n[AKGEN_FIX_QUANT] = p.quantPre;
  c.n[AKGEN_FIX_RELU] = p.reluPre;
  c.n[AKGEN_FIX_UNIT_FLAG] = p.unitFlag;
  c.n[AKGEN_FIX_ND_NUM] = 1;
  c.n[AKGEN_FIX_ROWS] = p.nz2ndEn;
  c.n[AKGEN_FIX_SPLIT] = p.channelSplit;
  c.n[AKGEN_FIX_FORM] = 1;
  if (p.reluPre > 1 || p.clipReluPre || p.eltWiseOp)
    akgen_unsupported("DataCopy from CO1 with this ReLU or operation");
  AkgenIssueCube(c);
}
template <typename T, typename U>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                                const DataCopyCO12DstParams& p) {
  AkgenCopyOut(dst, src, p);
}
template <typename T, typename U>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                                const DataCopyCO12DstParams& p) {
  AkgenCopyOut(dst, src, p);
}
__aicore__ inline void SetFixpipePreQuantFlag(uint64_t config) {
  AkgenSetCube(AKGEN_CUBE_REG_QUANT_WORD, config);
}
__aicore__ inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride,
                                           uint16_t dstNdStride) {
  AkgenSetCube(AKGEN_CUBE_REG_ND, ndNum | static_cast<uint64_t>(srcNdStride) << 16 |
                                      static_cast<uint64_t>(dstNdStride) << 32);
}
template <typename T, bool setRelu = false>
__aicore__ inline void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false) {
  if constexpr (setRelu)
    akgen_unsupported("SetFixPipeConfig with the parameters of a ReLU");
  else
    AkgenSetCube(AKGEN_CUBE_REG_QUANT_TABLE, akgen_position_offset(0, preData.AkgenPtr()));
  if (isUnitFlag) AkgenSetCube(AKGEN_CUBE_REG_CLEAR_UNITS, 1);
}
template <typename T>
__aicore__ inline void SetFixPipeConfig(const LocalTensor<T>& reluPre,
                                        const LocalTensor<T>& quantPre, bool isUnitFlag = false) {
  akgen_unsupported("SetFixPipeConfig with the parameters of a ReLU");
}
__aicore__ inline void SetFixPipeClipRelu(uint64_t) { akgen_unsupported("SetFixPipeClipRelu"); }
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_CUBE_COMPUTE_H
