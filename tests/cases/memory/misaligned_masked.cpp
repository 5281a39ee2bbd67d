// An operand that starts off a DataBlock, although the mask leaves its first element out.
// launch: blocks=1 args=out:f32[32]
// expect: AK1004
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 32);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 128 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 128);
  uint64_t odd[2] = {0xaa, 0};  // the first element is left out
  Adds(t[1], t[1], 1.0f, odd, 1, {1, 1, 8, 8});  // <-- AK1004
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 32);
}
