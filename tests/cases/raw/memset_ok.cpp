// memset on a plain pointer, ordered before the copy out.
// launch: blocks=1 args=out:f32[256]
// expect: clean
#include <cstring>

#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  __ubuf__ float *raw = (__ubuf__ float *)t.GetPhyAddr();
  memset(raw, 0, 1024);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 256);
}
