// The largest of 65600 halves is the last: half cannot hold its index.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  TBuf<QuePosition::VECCALC> big;
  pipe.InitBuffer(big, 131200);
  LocalTensor<half> s = big.Get<half>();
  Duplicate(s, half(1.0f), 65600);
  s.SetValue(65599, half(2.0f));
  ReduceMax(t.ReinterpretCast<half>(), s, t[1024].ReinterpretCast<half>(), 65600, true);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
