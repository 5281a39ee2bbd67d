// One row of a matrix to L1 by ND2NZ, which fills its last 32 bytes up with zeros.
// launch: blocks=1 args=in:f16[64],out:f16[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GlobalTensor<half> xGm, zGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  zGm.SetGlobalBuffer((__gm__ half *)z);
  LocalTensor<half> row(TPosition::A1, 0, 64);
  DataCopy(row, xGm, Nd2NzParams{1, 1, 60, 0, 60, 1, 1, 0});
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(zGm, row, 64);
}
