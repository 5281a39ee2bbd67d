// What is in L1 comes there by a copy; the scalar unit reads Global Memory, which it reaches.
// launch: blocks=1 args=in:f16[64],out:f16[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x, 64);
  yGm.SetGlobalBuffer((__gm__ half *)y, 64);
  LocalTensor<half> a(TPosition::A1, 0, 64);
  DataCopy(a, xGm, 64);
  for (int i = 0; i < 64; ++i) yGm.SetValue(i, xGm.GetValue(i));
  DataCacheCleanAndInvalid<half, CacheLine::ENTIRE_DATA_CACHE>(yGm);
}
