// Select with a tensor as mask works in 8 KB of the Unified Buffer that no buffer was given; 4 KB are left.
// launch: blocks=1 args=out:f32[64]
// expect: warning:AK1504
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
  TBuf<QuePosition::VECCALC> rest;
  pipe.InitBuffer(rest, 180 * 1024);
  LocalTensor<uint8_t> bits = t[1024].ReinterpretCast<uint8_t>();
  Compare(bits, t[512], t[576], CMPMODE::LT, 64);
  Select(t, bits, t[512], t[576], SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);  // <-- warning:AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
