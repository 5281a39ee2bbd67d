// A loop over a whole array, whose end is the address behind the last element.
// launch: blocks=1 args=out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  int32_t starts[4], rows = 16 + int32_t(GetBlockIdx());
  for (int32_t i = 0; i < 4; ++i) starts[i] = i * rows;
  int32_t n = 0;
  for (const int32_t *at = starts; at != &starts[4]; ++at) Duplicate(t[*at], float(n++), 16);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
