// The last tile ends with the workspace.
// launch: blocks=1 args=out:f32[64],workspace[1024]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace) {
  GlobalTensor<float> yGm, scratch;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  scratch.SetGlobalBuffer((__gm__ float *)workspace, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
  DataCopy(scratch[256 - 64], t, 64);  // <-- clean
}
