// The scalar unit reaches neither L1 nor L0C.
// launch: blocks=1 args=in:f16[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  LocalTensor<half> a(TPosition::A1, 0, 64);
  a.SetValue(0, half(1));  // <-- AK1504
  LocalTensor<float> c(TPosition::CO1, 0, 64);
  c.SetValue(0, 1.0f);                 // <-- AK1504
  if (c.GetValue(0) > 1e30f) return;  // <-- AK1504
}
