// Each block writes the same bytes and reads them back; the last one does not wait for its own write.
// launch: blocks=2 args=inout:f32[8],out:f32[16]
// expect: AK1201, warning:AK1210
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 8);
  yGm.SetGlobalBuffer((__gm__ float *)y, 16);
  TPipe pipe;
  TBuf<TPosition::VECCALC> ones, back;
  pipe.InitBuffer(ones, 32);
  pipe.InitBuffer(back, 32);
  LocalTensor<float> one = ones.Get<float>(), b = back.Get<float>();
  Duplicate(one, 1.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(xGm, one, 8);  // <== AK1201
  if (GetBlockIdx() == 0) PipeBarrier<PIPE_ALL>();
  DataCopy(b, xGm, 8);  // <-- AK1201
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm[GetBlockIdx() * 8], b, 8);
}
