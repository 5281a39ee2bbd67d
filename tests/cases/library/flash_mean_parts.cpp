// SoftmaxFlashV3 in four parts.
// launch: blocks=1 args=out:f16[4096]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline bool Near(float x, float want) {
  const float difference = x - want;
  return difference < 1e-4f && difference > -1e-4f;
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<half> yGm;
  yGm.SetGlobalBuffer((__gm__ half *)y, 8 * 512);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> xBuf, sums, scales, tmpBuf;
  pipe.InitBuffer(xBuf, 8 * 512 * sizeof(half));
  pipe.InitBuffer(sums, 3 * 64 * sizeof(float));
  pipe.InitBuffer(scales, 128 * sizeof(half));
  pipe.InitBuffer(tmpBuf, 4512);  // GetSoftMaxFlashV3MaxMinTmpSize of [8, 512]
  LocalTensor<half> x = xBuf.Get<half>(), scale = scales.Get<half>();
  LocalTensor<float> mean = sums.Get<float>(), sum = mean[64], max = mean[128];
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  SoftMaxTiling tiling;
  Duplicate(x, half(1), 8 * 512);
  SoftmaxFlashV3<half, float>(x, mean, sum, max, x, scale, mean, sum, max, tmp, tiling,  // <-- AK1504
                              SoftMaxParams(8, 512, 8, 512, 1, 4, 0.9375f));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, x, 8 * 512);
}
