// Parameter structures of the Cube core's instructions, fields, types and defaults as documented
// for NpuArch 2201.
#ifndef ASCENDC_KERNEL_CUBE_PARAMS_H
#define ASCENDC_KERNEL_CUBE_PARAMS_H
#include "kernel/tensor.h"

namespace AscendC {
struct Nd2NzParams {
  __aicore__ Nd2NzParams() {}
  __aicore__ Nd2NzParams(const uint16_t num, const uint16_t n, const uint16_t d,
                         const uint16_t srcMatrix, const uint16_t srcD, const uint16_t dstC0,
                         const uint16_t dstN, const uint16_t dstMatrix)
      : ndNum(num),
        nValue(n),
        dValue(d),
        srcNdMatrixStride(srcMatrix),
        srcDValue(srcD),
        dstNzC0Stride(dstC0),
        dstNzNStride(dstN),
        dstNzMatrixStride(dstMatrix) {}
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
};
using Dn2NzParams = Nd2NzParams;

struct LoadData2DParams {
  __aicore__ LoadData2DParams() {}
  __aicore__ LoadData2DParams(const uint16_t start, const uint8_t repeat, const uint16_t src,
                              const uint8_t id, const uint16_t gap, const bool transpose,
                              const uint8_t mode)
      : startIndex(start),
        dstGap(gap),
        srcStride(src),
        ifTranspose(transpose),
        repeatTimes(repeat),
        sid(id),
        addrMode(mode) {}
  uint16_t startIndex = 0;
  uint16_t dstGap = 0;
  uint16_t srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0;
  uint8_t sid = 0;
  uint8_t addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2DParamsV2 {
  __aicore__ LoadData2DParamsV2() {}
  __aicore__ LoadData2DParamsV2(const uint32_t mStart, const uint32_t kStart, const uint16_t m,
                                const uint16_t k, const int32_t src, const uint16_t dst,
                                const bool transpose, const uint8_t id)
      : mStartPosition(mStart),
        kStartPosition(kStart),
        mStep(m),
        kStep(k),
        srcStride(src),
        dstStride(dst),
        ifTranspose(transpose),
        sid(id) {}
  uint32_t mStartPosition = 0;
  uint32_t kStartPosition = 0;
  uint16_t mStep = 0;
  uint16_t kStep = 0;
  int32_t srcStride = 0;
  uint16_t dstStride = 0;
  bool ifTranspose = false;
  uint8_t sid = 0;
};

struct LoadData2dTransposeParams {
  __aicore__ LoadData2dTransposeParams() {}
  __aicore__ LoadData2dTransposeParams(const uint16_t start, const uint8_t repeat,
                                       const uint16_t src, const uint16_t gap,
                                       const uint16_t fracGap, const uint8_t mode = 0)
      : startIndex(start),
        repeatTimes(repeat),
        srcStride(src),
        dstGap(gap),
        dstFracGap(fracGap),
        addrMode(mode) {}
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint16_t dstGap = 0;
  uint16_t dstFracGap = 0;
  uint8_t addrMode = 0;
};

template <typename T>
struct LoadData3DParamsV2 {
  using Value = std::conditional_t<std::is_same_v<T, int4b_t>, int8_t, T>;
  __aicore__ LoadData3DParamsV2() {}
  __aicore__ LoadData3DParamsV2(const uint8_t pads[PAD_SIZE], const uint16_t height,
                                const uint16_t width, const uint16_t channels,
                                const uint16_t kLength, const uint16_t mLength,
                                const uint16_t kFirst, const uint16_t mFirst,
                                const uint8_t strideOfW, const uint8_t strideOfH,
                                const uint8_t filterOfW, const uint8_t filterOfH,
                                const uint8_t dilationOfW, const uint8_t dilationOfH,
                                const bool transpose, const bool smallK, const Value pad,
                                const bool sizeW = false, const bool sizeH = false,
                                const bool matrixCtrl = false)
      : l1H(height),
        l1W(width),
        channelSize(channels),
        kExtension(kLength),
        mExtension(mLength),
        kStartPt(kFirst),
        mStartPt(mFirst),
        strideW(strideOfW),
        strideH(strideOfH),
        filterW(filterOfW),
        filterH(filterOfH),
        dilationFilterW(dilationOfW),
        dilationFilterH(dilationOfH),
        enTranspose(transpose),
        enSmallK(smallK),
        padValue(pad),
        filterSizeW(sizeW),
        filterSizeH(sizeH),
        fMatrixCtrl(matrixCtrl) {
    for (int i = 0; i < PAD_SIZE; ++i) padList[i] = pads[i];
  }
  uint8_t padList[PAD_SIZE] = {0, 0, 0, 0};  // left, right, top, bottom
  uint16_t l1H = 0;
  uint16_t l1W = 0;
  uint16_t channelSize = 0;
  uint16_t kExtension = 0;
  uint16_t mExtension = 0;
  uint16_t kStartPt = 0;
  uint16_t mStartPt = 0;
  uint8_t strideW = 1;
  uint8_t strideH = 1;
  uint8_t filterW = 1;
  uint8_t filterH = 1;
  uint8_t dilationFilterW = 1;
  uint8_t dilationFilterH = 1;
  bool enTranspose = false;
  bool enSmallK = false;
  Value padValue = Value(0);
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
};

struct LoadData3DParamsV2Pro {
  __aicore__ LoadData3DParamsV2Pro() {}
  __aicore__ LoadData3DParamsV2Pro(const uint16_t channels, const bool transpose, const bool smallK,
                                   const bool sizeW, const bool sizeH, const bool matrixCtrl,
                                   const uint64_t ext, const uint64_t filter)
      : channelSize(channels),
        enTranspose(transpose),
        enSmallK(smallK),
        filterSizeW(sizeW),
        filterSizeH(sizeH),
        fMatrixCtrl(matrixCtrl),
        extConfig(ext),
        filterConfig(filter) {}
  uint16_t channelSize = 0;
  bool enTranspose = false;
  bool enSmallK = false;
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
  uint64_t extConfig = 0;  // mStartPt, kStartPt, mExtension, kExtension, 16 bits each, high to low
  uint64_t filterConfig =
      0x10101010101ull;  // dilation, filter and stride, height before width, 8 bits each
};

struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

struct LoadDataRepeatParam {
  __aicore__ LoadDataRepeatParam() {}
  __aicore__ LoadDataRepeatParam(const uint16_t stride, const uint8_t time, const uint8_t mode)
      : repeatStride(stride), repeatTime(time), repeatMode(mode) {}
  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1;
  uint8_t repeatMode = 0;
};

template <typename T>
struct InitConstValueParams {
  __aicore__ InitConstValueParams() {}
  __aicore__ InitConstValueParams(const uint16_t repeat, const uint16_t num, const uint16_t gap,
                                  const T value)
      : repeatTimes(repeat), blockNum(num), dstGap(gap), initValue(value) {}
  uint16_t repeatTimes = 0;
  uint16_t blockNum = 0;
  uint16_t dstGap = 0;
  T initValue = T(0);
};

struct MmadParams {
  __aicore__ MmadParams() {}
  __aicore__ MmadParams(const uint16_t mIn, const uint16_t nIn, const uint16_t kIn, const bool bias,
                        const int32_t offset, const bool sparse, const bool winogradA,
                        const bool winogradB)
      : m(mIn),
        n(nIn),
        k(kIn),
        isBias(bias),
        fmOffset(offset),
        enSsparse(sparse),
        enWinogradA(winogradA),
        enWinogradB(winogradB) {}
  __aicore__ MmadParams(const uint16_t mIn, const uint16_t nIn, const uint16_t kIn,
                        const uint8_t unit, const bool source, const bool initVal)
      : m(mIn), n(nIn), k(kIn), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(initVal) {}
  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;
  bool isBias = false;  // deprecated: accumulates
  int32_t fmOffset = 0;
  bool enSsparse = false;
  bool enWinogradA = false;
  bool enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false;
  bool cmatrixSource = false;
  bool cmatrixInitVal = true;
};

struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false;  // other chips only
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
inline constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

struct FixpipeParamsV220 {
  __aicore__ FixpipeParamsV220() {}
  __aicore__ FixpipeParamsV220(const uint16_t n, const uint16_t m, const uint16_t src,
                               const uint32_t dst, const bool relu)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu) {}
  __aicore__ FixpipeParamsV220(const uint16_t n, const uint16_t m, const uint16_t src,
                               const uint32_t dst, const bool relu, const QuantMode_t quant,
                               const int64_t scalar, const uint16_t num, const uint16_t srcNd,
                               const uint16_t dstNd, const uint8_t unit)
      : nSize(n),
        mSize(m),
        srcStride(src),
        dstStride(dst),
        quantPre(quant),
        deqScalar(static_cast<uint64_t>(scalar)),
        ndNum(num),
        srcNdStride(srcNd),
        dstNdStride(dstNd),
        reluEn(relu),
        unitFlag(unit) {}
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
};
using FixpipeParamsM300 = FixpipeParamsV220;
using FixpipeParamsM310 = FixpipeParamsV220;

// The older form: cburstNum columns of fractals, each burstLen DataBlocks of the source long.
struct QuantParams {
  __aicore__ QuantParams() {}
  __aicore__ QuantParams(const QuantMode_t quant) : quantPre(quant) {}
  __aicore__ QuantParams(const QuantMode_t quant, const uint64_t scalar)
      : quantPre(quant), deqScalar(scalar) {}
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
};
struct Nz2NdParams {
  __aicore__ Nz2NdParams() {}
  __aicore__ Nz2NdParams(const bool en, const uint16_t num, const uint16_t src, const uint16_t dst,
                         const uint16_t n)
      : nz2ndEn(en), ndNum(num), srcNdStride(src), dstNdStride(dst), originalNSize(n) {}
  bool nz2ndEn = false;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  uint16_t originalNSize = 0;  // columns, where nz2ndEn
};
template <typename T>
struct FixpipeParams {
  __aicore__ FixpipeParams() {}
  __aicore__ FixpipeParams(const uint16_t count, const uint16_t len, const uint16_t src,
                           const uint32_t dst)
      : cburstNum(count), burstLen(len), dstStride(dst), srcStride(src) {}
  uint16_t cburstNum = 1;
  uint16_t burstLen = 1;
  uint32_t dstStride =
      0;  // from the end of a column to the next, in DataBlocks; with nz2ndEn: elements of a row
  uint16_t srcStride = 0;  // from the end of a column to the next, in fractals
  QuantParams quantParams;
  bool reluEn = false;
  Nz2NdParams nz2ndParams;
  uint8_t unitFlag = 0;
};

struct DataCopyCO12DstParams {
  __aicore__ DataCopyCO12DstParams() {}
  __aicore__ DataCopyCO12DstParams(const uint16_t n, const uint16_t m, const uint32_t dst,
                                   const uint16_t src, const QuantMode_t quant, const uint8_t relu,
                                   const bool split, const bool nz2nd)
      : nSize(n),
        mSize(m),
        dstStride(dst),
        srcStride(src),
        quantPre(quant),
        reluPre(relu),
        channelSplit(split),
        nz2ndEn(nz2nd) {}
  uint8_t sid = 0;
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  uint8_t unitFlag = 0;
  uint8_t clipReluPre = 0;
  uint8_t eltWiseOp = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint8_t reluPre = 0;
  bool channelSplit = false;
  bool nz2ndEn = false;
};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_CUBE_PARAMS_H
