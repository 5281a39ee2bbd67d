// A pool of 2048 bytes over the memory of one of 1024.
// launch: blocks=1 args=out:f32[64]
// expect: AK1401
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
  TBufPool<TPosition::VECCALC> first, second;
  pipe.InitBufPool(first, 1024);
  pipe.InitBufPool(second, 2048, first);  // <-- AK1401
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
