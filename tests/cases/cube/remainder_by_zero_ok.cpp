// The same with a part.
// launch: blocks=2 args=in:f16[1024],out:f16[1024]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {
  GlobalTensor<half> xGm, zGm;
  xGm.SetGlobalBuffer((__gm__ half *)x + GetBlockIdx() * 512);
  zGm.SetGlobalBuffer((__gm__ half *)z + GetBlockIdx() * 512);
  LocalTensor<half> v(TPosition::VECCALC, 0, 512);
  volatile uint32_t parts = 1;
  uint32_t first = GetBlockIdx() % parts;  // <-- clean
  (void)first;
  DataCopy(v, xGm, 512);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(zGm, v, 512);
}
