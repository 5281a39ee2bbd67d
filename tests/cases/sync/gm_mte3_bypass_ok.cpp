// ReadGmByPassDCache behind a flag of the copy out.
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

  Duplicate(t, 1, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(zGm, t, 256);
  SetFlag<HardEvent::MTE3_S>(EVENT_ID1);
  WaitFlag<HardEvent::MTE3_S>(EVENT_ID1);
  int32_t first = ReadGmByPassDCache<int32_t>(zGm.GetPhyAddr(0));
  if (first < 0) Trap();
}
