// DataCopy and DataCopyPad between GM and UB and inside UB, brought to one record (AkgenCopy, all
// in bytes).
#ifndef ASCENDC_KERNEL_DATA_COPY_H
#define ASCENDC_KERNEL_DATA_COPY_H
#include "kernel/tensor.h"

namespace AscendC {
struct AkgenStrides {
  uint16_t count;  // blocks
  uint32_t len;    // bytes of a block
  int64_t src;     // bytes between blocks
  int64_t dst;
};
inline AkgenStrides AkgenWhole(uint64_t bytes) { return {1, static_cast<uint32_t>(bytes), 0, 0}; }
// DataCopy: everything in 32-byte DataBlocks.
inline AkgenStrides AkgenBlocks(const DataCopyParams& p) {
  return {p.blockCount, p.blockLen * 32u, p.srcGap * 32, p.dstGap * 32};
}
// DataCopyPad: bytes, except the gap on the UB side.
inline AkgenStrides AkgenPadIn(const DataCopyParams& p) {
  return {p.blockCount, p.blockLen, p.srcGap, p.dstGap * 32};
}
inline AkgenStrides AkgenPadOut(const DataCopyParams& p) {
  return {p.blockCount, p.blockLen, p.srcGap * 32, p.dstGap};
}
inline AkgenStrides AkgenPadIn(const DataCopyExtParams& p) {
  return {p.blockCount, p.blockLen, p.srcStride, static_cast<int64_t>(p.dstStride) * 32};
}
inline AkgenStrides AkgenPadOut(const DataCopyExtParams& p) {
  return {p.blockCount, p.blockLen, static_cast<int64_t>(p.srcStride) * 32, p.dstStride};
}

inline AkgenCopy AkgenCopyOf(uint8_t kind, uint8_t dtype, void* dst, const void* src,
                             const AkgenStrides& s) {
  AkgenCopy copy = {};
  copy.kind = kind;
  copy.dtype = dtype;
  copy.block_count = s.count;
  copy.block_len = s.len;
  copy.src_stride = s.src;
  copy.dst_stride = s.dst;
  copy.dst = dst;
  copy.src = src;
  return copy;
}
template <typename T>
inline void AkgenMove(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                      const AkgenStrides& s) {
  AkgenCopy copy =
      AkgenCopyOf(AKGEN_GM_TO_UB, AkgenDtypeOf<T>::value, dst.AkgenPtr(), src.AkgenPtr(), s);
  copy.l2_bypass = src.cacheMode_ == CacheMode::CACHE_MODE_DISABLE;
  akgen_copy(&copy);
}
template <typename T>
inline void AkgenMove(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                      const AkgenStrides& s) {
  AkgenCopy copy =
      AkgenCopyOf(AKGEN_UB_TO_GM, AkgenDtypeOf<T>::value, dst.AkgenPtr(), src.AkgenPtr(), s);
  copy.l2_bypass = dst.cacheMode_ == CacheMode::CACHE_MODE_DISABLE;
  akgen_copy(&copy);
}
// The positions that only DataCopyParams in the units of that memory reach.
constexpr bool AkgenIsTable(int32_t position) {
  return position == static_cast<int32_t>(TPosition::C2) ||
         position == static_cast<int32_t>(TPosition::C2PIPE2GM);
}
// L1 to BiasTable (C2) or Fixpipe Buffer (C2PIPE2GM): an instruction of the Cube core.
template <typename T, typename U>
void AkgenToTable(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& p);
template <typename T>
inline void AkgenMove(const LocalTensor<T>& dst, const LocalTensor<T>& src, const AkgenStrides& s) {
  const AkgenCopy copy =
      AkgenCopyOf(AKGEN_UB_TO_UB, AkgenDtypeOf<T>::value, dst.AkgenPtr(), src.AkgenPtr(), s);
  akgen_copy(&copy);
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const uint32_t count) {
  AkgenMove(dst, src, AkgenWhole(AkgenBytes<T>(count)));
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                const uint32_t count) {
  AkgenMove(dst, src, AkgenWhole(AkgenBytes<T>(count)));
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const uint32_t count) {
  AkgenMove(dst, src, AkgenWhole(AkgenBytes<T>(count)));
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const DataCopyParams& repeatParams) {
  AkgenMove(dst, src, AkgenBlocks(repeatParams));
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                const DataCopyParams& repeatParams) {
  AkgenMove(dst, src, AkgenBlocks(repeatParams));
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const DataCopyParams& repeatParams) {
#if defined(__DAV_C220_CUBE__)
  if (AkgenIsTable(dst.GetPosition())) return AkgenToTable(dst, src, repeatParams);
#endif
  AkgenMove(dst, src, AkgenBlocks(repeatParams));
}

// On a vector core only the normal mode moves vector data; the others belong to cube memories.
inline bool AkgenIsPlain(const DataCopyEnhancedParams& p) {
  return p.blockMode == BlockMode::BLOCK_MODE_NORMAL && p.deqScale == DeqScale::DEQ_NONE &&
         !p.isRelu;
}
template <typename Dst, typename Src>
inline void AkgenMoveEnhanced(const Dst& dst, const Src& src, const DataCopyParams& p,
                              const DataCopyEnhancedParams& e) {
  if (AkgenIsPlain(e)) return AkgenMove(dst, src, AkgenBlocks(p));
  akgen_unsupported("DataCopy with a DataCopyEnhancedParams other than the normal mode");
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const DataCopyParams& intriParams,
                                const DataCopyEnhancedParams& enhancedParams) {
  AkgenMoveEnhanced(dst, src, intriParams, enhancedParams);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                const DataCopyParams& intriParams,
                                const DataCopyEnhancedParams& enhancedParams) {
  AkgenMoveEnhanced(dst, src, intriParams, enhancedParams);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const DataCopyParams& intriParams,
                                const DataCopyEnhancedParams& enhancedParams) {
  AkgenMoveEnhanced(dst, src, intriParams, enhancedParams);
}

// One walk over the pieces of a sliced tensor: dimension 0 is contiguous, stride elements lie
// between two pieces.
class AkgenSlices {
 public:
  AkgenSlices(const SliceInfo info[], uint32_t dims, uint32_t element_bytes)
      : info_(info), dims_(dims), burst_(dims == 0 ? 0 : info[0].burstLen * 32u / element_bytes) {
    for (uint32_t d = 0; d < dims && d < K_MAX_SHAPE_DIM; ++d) at_[d] = info[d].startIndex;
  }
  uint32_t Burst() const { return burst_; }  // elements of a piece
  // The first element of the current piece.
  uint64_t Offset() const {
    uint64_t offset = 0, pitch = 1;
    for (uint32_t d = 0; d < dims_; ++d) {
      offset += at_[d] * pitch;
      pitch *= info_[d].shapeValue;
    }
    return offset;
  }
  // Do whole pieces and the gaps between them lie from start to end, and the end within the shape?
  bool Fits() const {
    for (uint32_t d = 0; d < dims_; ++d) {
      const SliceInfo& i = info_[d];
      const uint64_t piece = d == 0 ? burst_ : 1,
                     length = uint64_t(i.endIndex) - i.startIndex + 1 + i.stride;
      if (i.endIndex < i.startIndex || i.endIndex > i.shapeValue || length % (piece + i.stride))
        return false;
    }
    return true;
  }
  bool Next() {
    for (uint32_t d = 0; d < dims_; ++d) {
      at_[d] += (d == 0 ? burst_ : 1) + info_[d].stride;
      if (at_[d] + (d == 0 ? burst_ : 1) - 1 <= info_[d].endIndex) return true;
      at_[d] = info_[d].startIndex;
    }
    return false;
  }

 private:
  const SliceInfo* info_;
  uint32_t dims_;
  uint32_t burst_;
  uint64_t at_[K_MAX_SHAPE_DIM] = {};
};
template <typename T, typename Dst, typename Src>
inline void AkgenMoveSlices(const Dst& dst, const Src& src, const SliceInfo dstInfo[],
                            const SliceInfo srcInfo[], uint32_t dims) {
  if (dims > K_MAX_SHAPE_DIM)
    return akgen_broken_rule("DataCopy: slices of at most eight dimensions");
  for (uint32_t d = 0; d < dims; ++d)
    if (dstInfo[d].burstLen != srcInfo[d].burstLen || (d > 0 && srcInfo[d].burstLen != 1))
      akgen_broken_rule(
          "DataCopy: the burstLen of slices is alike on both sides, and 1 from the second "
          "dimension on");
  AkgenSlices to(dstInfo, dims, sizeof(T)), from(srcInfo, dims, sizeof(T));
  if (from.Burst() == 0) return;
  if (!to.Fits() || !from.Fits())
    akgen_broken_rule(
        "DataCopy: from startIndex to endIndex lie whole pieces with their gaps, within "
        "shapeValue");
  do {
    AkgenMove(dst[to.Offset()], src[from.Offset()], AkgenWhole(from.Burst() * sizeof(T)));
  } while (from.Next() && to.Next());
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                                const uint32_t dimValue = 1) {
  AkgenMoveSlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                                const uint32_t dimValue = 1) {
  AkgenMoveSlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue);
}

template <typename T>
inline void AkgenPadMove(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                         const AkgenStrides& s, bool pad, uint8_t left, uint8_t right,
                         uint64_t value) {
  AkgenCopy copy =
      AkgenCopyOf(AKGEN_GM_TO_UB, AkgenDtypeOf<T>::value, dst.AkgenPtr(), src.AkgenPtr(), s);
  copy.is_pad_api = 1;
  copy.is_pad = pad;
  copy.left_pad = left;
  copy.right_pad = right;
  copy.pad_value = value;
  copy.l2_bypass = src.cacheMode_ == CacheMode::CACHE_MODE_DISABLE;
  akgen_copy(&copy);
}
template <typename T>
inline void AkgenPadMove(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                         const AkgenStrides& s) {
  AkgenCopy copy =
      AkgenCopyOf(AKGEN_UB_TO_GM, AkgenDtypeOf<T>::value, dst.AkgenPtr(), src.AkgenPtr(), s);
  copy.is_pad_api = 1;
  copy.l2_bypass = dst.cacheMode_ == CacheMode::CACHE_MODE_DISABLE;
  akgen_copy(&copy);
}
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                   const DataCopyParams& dataCopyParams,
                                   const DataCopyPadParams& padParams) {
  AkgenPadMove(dst, src, AkgenPadIn(dataCopyParams), padParams.isPad, padParams.leftPadding,
               padParams.rightPadding, padParams.paddingValue);
}
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                   const DataCopyExtParams& dataCopyParams,
                                   const DataCopyPadExtParams<T>& padParams) {
  AkgenPadMove(dst, src, AkgenPadIn(dataCopyParams), padParams.isPad, padParams.leftPadding,
               padParams.rightPadding, AkgenBits(padParams.paddingValue));
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                   const DataCopyParams& dataCopyParams) {
  AkgenPadMove(dst, src, AkgenPadOut(dataCopyParams));
}
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                   const DataCopyExtParams& dataCopyParams) {
  AkgenPadMove(dst, src, AkgenPadOut(dataCopyParams));
}

// Calls that no path of the chip serves: chosen only when nothing above fits, to name the rule.
template <typename T, typename U, typename... Rest,
          std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<U>& src,
                                const Rest&... rest) {
  static_assert(AkgenNever<T, U>::value,
                "Ascend C: DataCopy GM->UB needs source and destination of one dtype");
}
template <typename T, typename U, typename... Rest,
          std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                                const Rest&... rest) {
  static_assert(AkgenNever<T, U>::value,
                "Ascend C: DataCopy UB->GM needs source and destination of one dtype");
}
template <typename T, typename U, typename... Rest,
          std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
__aicore__ inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                                const Rest&... rest) {
  static_assert(AkgenNever<T, U>::value,
                "Ascend C: DataCopy UB->UB needs source and destination of one dtype");
}
template <typename T, typename U, typename... Rest>
__aicore__ inline void DataCopy(const GlobalTensor<T>& dst, const GlobalTensor<U>& src,
                                const Rest&... rest) {
  static_assert(AkgenNever<T, U>::value, "Ascend C: DataCopy has no path from GM to GM");
}
template <typename T, typename U, typename... Rest,
          std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<U>& src,
                                   const Rest&... rest) {
  static_assert(AkgenNever<T, U>::value,
                "Ascend C: DataCopyPad GM->UB needs source and destination of one dtype");
}
template <typename T, typename U, typename... Rest,
          std::enable_if_t<!std::is_same_v<T, U>, int> = 0>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
                                   const Rest&... rest) {
  static_assert(AkgenNever<T, U>::value,
                "Ascend C: DataCopyPad UB->GM needs source and destination of one dtype");
}
template <typename T, typename Params>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                   const Params& params) {
  static_assert(AkgenNever<T>::value,
                "Ascend C: DataCopyPad GM->UB needs padding parameters as its fourth argument");
}
template <typename T, typename Params, typename Pad>
__aicore__ inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                                   const Params& params, const Pad& pad) {
  static_assert(AkgenNever<T>::value, "Ascend C: DataCopyPad UB->GM takes no padding parameters");
}
template <typename T, typename Pad,
          std::enable_if_t<std::is_same_v<Pad, DataCopyPadParams>, int> = 0>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                                   const DataCopyExtParams& params, const Pad& pad) {
  static_assert(AkgenNever<T>::value,
                "Ascend C: DataCopyPad with DataCopyExtParams needs DataCopyPadExtParams");
}
template <typename T, typename U, typename... Rest>
__aicore__ inline void DataCopyPad(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                                   const Rest&... rest) {
  static_assert(AkgenNever<T, U>::value,
                "Ascend C: DataCopyPad on a vector core needs GM on one side");
}

// The filler of later DataCopyPad calls that ask for no padding of their own.
template <typename T, TPosition pos = TPosition::MAX>
__aicore__ inline void SetPadValue(T paddingValue) {
  akgen_set_pad_value(AkgenBits(paddingValue), AkgenDtypeOf<T>::value);
}
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_DATA_COPY_H
