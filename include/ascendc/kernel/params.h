// Parameter structures of the kernel API, fields, types and defaults as documented for NpuArch
// 2201. They are not aggregates upstream: an empty and a full positional constructor each, never a
// partial one.
#ifndef ASCENDC_KERNEL_PARAMS_H
#define ASCENDC_KERNEL_PARAMS_H
#include "kernel/constants.h"
#include "kernel/enums.h"
#include "kernel/macros.h"

namespace AscendC {
template <typename T>
class LocalTensor;

struct UnaryRepeatParams {
  __aicore__ UnaryRepeatParams() {}
  __aicore__ UnaryRepeatParams(const uint16_t dstBlk, const uint16_t srcBlk, const uint8_t dstRep,
                               const uint8_t srcRep)
      : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep) {}
  __aicore__ UnaryRepeatParams(const uint16_t dstBlk, const uint16_t srcBlk, const uint8_t dstRep,
                               const uint8_t srcRep, const bool half)
      : dstBlkStride(dstBlk),
        srcBlkStride(srcBlk),
        dstRepStride(dstRep),
        srcRepStride(srcRep),
        halfBlock(half) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  bool halfBlock = false;
};

struct BinaryRepeatParams {
  __aicore__ BinaryRepeatParams() {}
  __aicore__ BinaryRepeatParams(const uint8_t dstBlk, const uint8_t src0Blk, const uint8_t src1Blk,
                                const uint8_t dstRep, const uint8_t src0Rep, const uint8_t src1Rep)
      : dstBlkStride(dstBlk),
        src0BlkStride(src0Blk),
        src1BlkStride(src1Blk),
        dstRepStride(dstRep),
        src0RepStride(src0Rep),
        src1RepStride(src1Rep) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
};

struct BrcbRepeatParams {
  __aicore__ BrcbRepeatParams() {}
  __aicore__ BrcbRepeatParams(const uint16_t dstBlk, const uint16_t dstRep)
      : dstRepStride(dstRep), dstBlkStride(dstBlk) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
};

struct GatherRepeatParams {
  __aicore__ GatherRepeatParams() {}
  __aicore__ GatherRepeatParams(const uint8_t dstBlk, const uint8_t dstRep)
      : dstRepStride(dstRep), dstBlkStride(dstBlk) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
};

struct GatherMaskParams {
  __aicore__ GatherMaskParams() {}
  __aicore__ GatherMaskParams(const uint8_t src0Block, const uint16_t repeats,
                              const uint16_t src0Repeat, const uint8_t src1Repeat)
      : src0BlockStride(src0Block),
        repeatTimes(repeats),
        src0RepeatStride(src0Repeat),
        src1RepeatStride(src1Repeat) {}
  uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

struct CopyRepeatParams {
  __aicore__ CopyRepeatParams() {}
  __aicore__ CopyRepeatParams(const uint16_t dst, const uint16_t src, uint16_t dstRepeat,
                              uint16_t srcRepeat)
      : dstStride(dst), srcStride(src), dstRepeatSize(dstRepeat), srcRepeatSize(srcRepeat) {}
  uint16_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint16_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
  uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

// blockLen and gaps in 32-byte DataBlocks for DataCopy; DataCopyPad takes blockLen and the GM
// side's gap in bytes.
struct DataCopyParams {
  __aicore__ DataCopyParams() {}
  __aicore__ DataCopyParams(const uint16_t count, const uint16_t len, const uint16_t srcGapIn,
                            const uint16_t dstGapIn)
      : blockCount(count), blockLen(len), srcGap(srcGapIn), dstGap(dstGapIn) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap = 0;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap = 0;
    uint16_t dstStride;
  };
};

// blockLen in bytes; a stride on the GM side in bytes, on the UB side in 32-byte DataBlocks.
struct DataCopyExtParams {
  __aicore__ DataCopyExtParams() {}
  __aicore__ DataCopyExtParams(const uint16_t count, const uint32_t len, const uint32_t src,
                               const uint32_t dst, const uint32_t reserved)
      : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(reserved) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint32_t blockLen = 0;
  uint32_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t rsv = 0;
};

// Paddings in elements.
struct DataCopyPadParams {
  __aicore__ DataCopyPadParams() {}
  __aicore__ DataCopyPadParams(const bool pad, const uint8_t left, const uint8_t right,
                               const uint64_t value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
  __aicore__ DataCopyPadExtParams() {}
  __aicore__ DataCopyPadExtParams(const bool pad, const uint8_t left, const uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = 0;
};

struct DataCopyEnhancedParams {
  __aicore__ DataCopyEnhancedParams() {}
  __aicore__ DataCopyEnhancedParams(const BlockMode mode, const DeqScale scale,
                                    const uint64_t value, const uint8_t sid, const bool relu,
                                    const pad_t pad, const uint64_t padding)
      : blockMode(mode),
        deqScale(scale),
        deqValue(value),
        sidStoreMode(sid),
        isRelu(relu),
        padMode(pad),
        padValue(padding) {}
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
  pad_t padMode = pad_t::PAD_NONE;
  uint64_t padValue = 0;
  uint64_t deqTensorAddr = 0;
};

// startIndex, endIndex, stride and shapeValue in elements, burstLen in 32-byte DataBlocks.
struct SliceInfo {
  __aicore__ SliceInfo() {}
  __aicore__ SliceInfo(const uint32_t start, const uint32_t end, const uint32_t gap,
                       const uint32_t burst, const uint32_t shape = 0)
      : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
  uint32_t startIndex = 0;
  uint32_t endIndex = ONE_BLK_SIZE - 1;
  uint32_t stride = 0;
  uint32_t burstLen = ONE_BLK_SIZE;
  uint32_t shapeValue = 0;
};

struct MrgSort4Info {
  __aicore__ MrgSort4Info() {}
  __aicore__ MrgSort4Info(const uint16_t lengths[MRG_SORT_ELEMENT_LEN], const bool exhausted,
                          const uint16_t valid, const uint16_t repeats)
      : ifExhaustedSuspension(exhausted),
        validBit(valid),
        repeatTimes(static_cast<uint8_t>(repeats)) {
    for (int i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) elementLengths[i] = lengths[i];
  }
  uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

// Complete only where LocalTensor is (kernel/tensor.h).
template <typename T>
struct MrgSortSrcList {
  __aicore__ MrgSortSrcList() {}
  __aicore__ MrgSortSrcList(const LocalTensor<T>& list1, const LocalTensor<T>& list2,
                            const LocalTensor<T>& list3, const LocalTensor<T>& list4)
      : src1(list1), src2(list2), src3(list3), src4(list4) {}
  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;
};

struct TransDataTo5HDParams {
  constexpr __aicore__ TransDataTo5HDParams() = default;
  constexpr __aicore__ TransDataTo5HDParams(const bool dstHigh, const bool srcHigh,
                                            const uint8_t repeats, const uint16_t dstRep,
                                            const uint16_t srcRep)
      : dstHighHalf(dstHigh),
        srcHighHalf(srcHigh),
        repeatTimes(repeats),
        dstRepStride(dstRep),
        srcRepStride(srcRep) {}
  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
};

struct TransposeParamsExt {
  constexpr __aicore__ TransposeParamsExt() = default;
  constexpr __aicore__ TransposeParamsExt(const uint16_t n, const uint16_t c, const uint16_t h,
                                          const uint16_t w, const TransposeType type)
      : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
  uint16_t nSize = 0;
  uint16_t cSize = 0;
  uint16_t hSize = 0;
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct VdeqInfo {
  __aicore__ VdeqInfo() {}
  __aicore__ VdeqInfo(const float scale[VDEQ_TENSOR_SIZE], const int16_t offset[VDEQ_TENSOR_SIZE],
                      const bool sign[VDEQ_TENSOR_SIZE]) {
    for (int i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
      vdeqScale[i] = scale[i];
      vdeqOffset[i] = offset[i];
      vdeqSignMode[i] = sign[i];
    }
  }
  float vdeqScale[VDEQ_TENSOR_SIZE] = {0};
  int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {0};
  bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {0};
};

// Queue options; only the fields that matter on a vector core have an effect.
struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_PARAMS_H
