// Slices of slices, through another type, and elements in their own buffer.
// launch: blocks=1 args=in:f32[128],out:f32[64],out:f32[512]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<float> xGm, yGm, zGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 128);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  zGm.SetGlobalBuffer((__gm__ float *)z, 512);
  TPipe pipe;
  TBuf<TPosition::VECCALC> pairBuf, restBuf;
  pipe.InitBuffer(pairBuf, 512);
  pipe.InitBuffer(restBuf, 2048);
  LocalTensor<float> pair = pairBuf.Get<float>(), rest = restBuf.Get<float>();
  Duplicate(rest, 0.0f, 512);
  Duplicate(pair, 1.0f, 128);
  LocalTensor<half> within = pair[64].ReinterpretCast<half>()[64];
  Duplicate(within[16], half(2), 48);
  pair.SetValue(127, 1.0f);
  rest.SetValue(4, pair[64](63));
  Duplicate(pairBuf.GetWithOffset<float>(64, 256), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, pair, 64);
  DataCopy(zGm, rest, 512);
}
