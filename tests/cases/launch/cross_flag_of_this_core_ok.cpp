// A core reads back what it wrote before a flag that all Vector cores wait for, itself too.
// launch: blocks=2 args=in:f16[256],out:f16[256],out:f16[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<half> xGm, yGm, zGm;
  xGm.SetGlobalBuffer((__gm__ half *)x + GetBlockIdx() * 128);
  yGm.SetGlobalBuffer((__gm__ half *)y + GetBlockIdx() * 128);
  zGm.SetGlobalBuffer((__gm__ half *)z + GetBlockIdx() * 128);
  TPipe pipe;
  TBuf<TPosition::VECCALC> ub;
  pipe.InitBuffer(ub, 512);
  LocalTensor<half> a = ub.Get<half>(), b = ub.Get<half>()[128];
  DataCopy(a, xGm, 128);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, 128);
  CrossCoreSetFlag<0, PIPE_MTE3>(3);
  CrossCoreWaitFlag(3);
  DataCopy(b, yGm, 128);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(zGm, b, 128);
}
