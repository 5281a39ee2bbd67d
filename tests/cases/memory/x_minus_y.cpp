// Integers that nobody wrote, each minus its neighbour in the next DataBlock.
// launch: blocks=1 args=out:i32[256]
// expect: AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<int32_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int32_t *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 256 * sizeof(int32_t));
  pipe.InitBuffer(bufB, 256 * sizeof(int32_t));
  LocalTensor<int32_t> a = bufA.Get<int32_t>();
  LocalTensor<int32_t> b = bufB.Get<int32_t>();

  Sub(b, a, a[8], 248);
  Duplicate(b[248], 0, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 256);
}
