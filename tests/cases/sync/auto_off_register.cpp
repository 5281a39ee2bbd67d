// Without automatic synchronisation a result register is read before the vector unit has written it.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// auto-sync: off
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<TPosition::VECCALC> aBuf, bBuf;
  pipe.InitBuffer(aBuf, 256);
  pipe.InitBuffer(bBuf, 256);
  LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>();
  DataCopy(a, xGm, 64);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  ReduceSum(b, a, b, 64);
  const float sum = GetReduceRepeatSumSpr<float>();  // <-- AK1201
  PipeBarrier<PIPE_V>();
  Duplicate(b, sum, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 64);
}
