// As many bytes of tiling data as the host wrote.
// launch: blocks=1 args=out:f32[16],tiling[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR tiling) {
  GlobalTensor<float> yGm, table;
  yGm.SetGlobalBuffer((__gm__ float *)y, 16);
  table.SetGlobalBuffer((__gm__ float *)tiling, 16);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();
  DataCopy(t, table, 16);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 16);
}
