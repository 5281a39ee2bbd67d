// A mask that lets some bits of each byte through leaves them undefined.
// launch: blocks=1 args=out:i16[128]
// expect: AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<int16_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int16_t *)y, 128);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> a, b;
  pipe.InitBuffer(a, 256);
  pipe.InitBuffer(b, 256);
  LocalTensor<int16_t> mask = a.Get<int16_t>(), nothing = b.Get<int16_t>();
  Duplicate(mask, (int16_t)0x0101, 128);
  PipeBarrier<PIPE_V>();
  And(mask, mask, nothing, 128);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, mask, 128);  // <-- AK1102
}
