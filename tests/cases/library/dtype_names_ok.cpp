// A name of a dtype that no #define has would be 0 in #if, which is DT_FLOAT: all of them are there.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;
#if !defined(DT_HIFLOAT8) || DT_FLOAT8_E5M2 != 35 || DT_FLOAT4_E1M2 != 41 || DT_UNDEFINED != 28 || DT_STRING != 13
#error "dtype names are missing"
#endif

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  LocalTensor<float> a = buf.Get<float>();
  DataCopy(a, xGm, 64);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, 64);
}
