// A slice of a slice, through another type, and an element lie in the next buffer.
// launch: blocks=1 args=in:f32[128],out:f32[64],out:f32[512]
// expect: AK1003
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
  LocalTensor<half> beyond = pair[64].ReinterpretCast<half>()[128];
  Duplicate(beyond[16], half(2), 64);  // <-- AK1003
  pair.SetValue(130, 1.0f);  // <-- AK1003
  rest.SetValue(4, pair[64](66));  // <-- AK1003
  Duplicate(pairBuf.GetWithOffset<float>(64, 512), 1.0f, 64);  // <-- AK1003
  PipeBarrier<PIPE_ALL>();
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, pair, 64);
  DataCopy(zGm, rest, 512);
}
