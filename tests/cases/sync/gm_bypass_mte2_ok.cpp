// A copy in waits for WriteGmByPassDCache.
// launch: blocks=1 args=inout:i32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<int32_t> zGm;
  zGm.SetGlobalBuffer((__gm__ int32_t *)z, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<int32_t> t = buf.Get<int32_t>();

  WriteGmByPassDCache<int32_t>(zGm.GetPhyAddr(0), 1);
  SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
  DataCopy(t, zGm, 256);
}
