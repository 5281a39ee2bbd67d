// x ^ x is zero whatever x was.
// launch: blocks=1 args=out:i16[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<int16_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int16_t *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 256 * sizeof(int16_t));
  pipe.InitBuffer(bufB, 256 * sizeof(int16_t));
  LocalTensor<int16_t> a = bufA.Get<int16_t>();
  LocalTensor<int16_t> b = bufB.Get<int16_t>();

  Xor(b, a, a, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 256);
}
