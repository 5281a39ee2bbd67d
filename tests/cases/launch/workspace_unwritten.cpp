// The kernel counts on a workspace of zeros. Nobody promises any.
// launch: blocks=1 args=out:f32[8],workspace[1024]
// expect: AK1101
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace) {
  GlobalTensor<float> yGm, scratch;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  scratch.SetGlobalBuffer((__gm__ float *)workspace, 8);
  float sum = scratch.GetValue(0);  // <-- AK1101
  for (int i = 0; i < 8; ++i) yGm.SetValue(i, sum + 1.0f);
}
