// A copy out reads the first element of a DataBlock while the vector unit writes the whole block.
// launch: blocks=1 args=out:f32[1]
// expect: AK1202
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 1);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8 * sizeof(float));
  LocalTensor<float> a = buf.Get<float>();

  Duplicate(a, 3.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopyPad(yGm, a, DataCopyExtParams(1, sizeof(float), 0, 0, 0));
  uint64_t all[2] = {0xff, 0};
  Adds(a, a, 1.0f, all, 1, {1, 1, 8, 8});  // <-- AK1202
}
