// A copy in waits for a plain store to the same bytes.
// launch: blocks=1 args=in:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  __ubuf__ float *raw = (__ubuf__ float *)t.GetPhyAddr();
  raw[0] = 1.0f;
  SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
  DataCopy(t, xGm, 256);
}
