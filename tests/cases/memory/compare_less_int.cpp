// Integers are compared for equality and nothing else.
// launch: blocks=1 args=out:f32[64]
// expect: AK1505
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
  LocalTensor<int32_t> n = t[512].ReinterpretCast<int32_t>();
  LocalTensor<uint8_t> bits = t[1024].ReinterpretCast<uint8_t>();
  Compare(bits, n, n[64], CMPMODE::LT, 64);  // <-- AK1505
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
