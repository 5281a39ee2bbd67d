// 0 decides x & 0, and 0xff a byte of x | -1, whatever x holds: the results are defined.
// launch: blocks=1 args=out:i16[128],out:i16[128]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR z) {
  GlobalTensor<int16_t> yGm, zGm;
  yGm.SetGlobalBuffer((__gm__ int16_t *)y, 128);
  zGm.SetGlobalBuffer((__gm__ int16_t *)z, 128);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> a, b, c;
  pipe.InitBuffer(a, 256);
  pipe.InitBuffer(b, 256);
  pipe.InitBuffer(c, 256);
  LocalTensor<int16_t> zero = a.Get<int16_t>(), ones = b.Get<int16_t>(), nothing = c.Get<int16_t>();
  Duplicate(zero, (int16_t)0, 128);
  Duplicate(ones, (int16_t)-1, 128);
  PipeBarrier<PIPE_V>();
  And(zero, zero, nothing, 128);
  Or(ones, nothing, ones, 128);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, zero, 128);
  DataCopy(zGm, ones, 128);
}
