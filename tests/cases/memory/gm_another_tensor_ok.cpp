// Offsets are 64 bits wide and may lead back.
// launch: blocks=1 args=in:f32[128],out:f32[128],in:f32[262144]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 128);
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 128);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 128 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  const int64_t back = -64;
  DataCopy(t, xGm[64][back], 64);
  DataCopy(t[64], xGm[128][back], 64);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 128);
}
