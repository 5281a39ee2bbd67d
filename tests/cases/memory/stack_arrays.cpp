// A function has arrays of 64 KiB among its local variables; kernels are compiled for a stack of 32.
// launch: blocks=1 args=out:f32[64]
// expect: AK1012
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  float sums[16384];
  for (int32_t i = 0; i < 64; ++i) sums[i * 256] = float(i);
  Duplicate(t, sums[256 * (3 + GetBlockIdx())], 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
