// DataCopyPad, which reaches UB alone, to L1.
// launch: blocks=1 args=in:f16[64],out:f16[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GlobalTensor<half> xGm, zGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  zGm.SetGlobalBuffer((__gm__ half *)z);
  LocalTensor<half> row(TPosition::A1, 0, 64);
  DataCopyPad(row, xGm, DataCopyExtParams{1, 120, 0, 0, 0}, DataCopyPadExtParams<half>{true, 0, 4, 0});  // <-- AK1504
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(zGm, row, 64);
}
