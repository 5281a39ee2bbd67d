// A pool of 1024 bytes, and buffers for twice as much out of it.
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
  TBufPool<TPosition::VECCALC> pool;
  TBuf<QuePosition::VECCALC> a, b;
  pipe.InitBufPool(pool, 1024);
  pool.InitBuffer(a, 1024);
  pool.InitBuffer(b, 1024);  // <-- AK1401
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
