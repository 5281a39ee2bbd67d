// After Reset the pool has two buffers again.
// launch: blocks=1 args=out:f32[64]
// expect: clean
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
  TBufPool<TPosition::VECCALC, 2> pool;
  TBuf<QuePosition::VECCALC> first, second, third;
  pipe.InitBufPool(pool, 8192);
  pool.InitBuffer(first, 1024);
  pool.InitBuffer(second, 1024);
  pool.Reset();
  pool.InitBuffer(third, 1024);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
