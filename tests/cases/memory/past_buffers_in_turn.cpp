// One line leaves its buffer twice: first into bytes of nobody, then into another buffer.
// launch: blocks=1 args=out:f32[64]
// expect: AK1003
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 64 * sizeof(float));
  pipe.InitBuffer(bufB, 8 * sizeof(float));
  LocalTensor<float> a = bufA.Get<float>();
  LocalTensor<float> part[2] = {bufB.Get<float>(), a[56]};

  Duplicate(a, 1.0f, 64);
  for (int i = 0; i < 2; ++i)
    Duplicate(part[i], 2.0f, 16);  // <-- AK1003
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, 64);
}
