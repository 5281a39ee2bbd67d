// A loop goes one beyond an array among the local variables: it reads another one.
// launch: blocks=1 args=out:f32[64]
// expect: AK1011
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  const int32_t starts[4] = {0, 16, 32, 48};
  int32_t sum = 0;
  for (int32_t i = 0; i <= 4; ++i) sum += starts[i];  // <-- AK1011
  Duplicate(t, float(sum), 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
