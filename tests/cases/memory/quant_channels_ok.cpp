// Two rows of 32 channels.
// launch: blocks=1 args=out:i8[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<int8_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int8_t *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, out;
  pipe.InitBuffer(buf, 256 * sizeof(half));
  pipe.InitBuffer(out, 64);
  LocalTensor<half> t = buf.Get<half>();
  LocalTensor<int8_t> q = out.Get<int8_t>();

  Duplicate(t, half(1.5), 256);
  AscendQuant(q, t, t[128], t[192], 32u, 32u, 64u);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, q, 64);
}
