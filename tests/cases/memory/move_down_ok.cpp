// A copy inside UB that its destination overlaps: each byte is as defined as what it was, 40 floats in each row of 128.
// launch: blocks=1 args=in:f32[680],out:f32[640]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 680);
  yGm.SetGlobalBuffer((__gm__ float *)y, 640);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 2176 * sizeof(float));
  LocalTensor<float> rows = buf.Get<float>();
  DataCopy(rows, xGm, DataCopyParams{17, 5, 0, 11});
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  DataCopy(rows, rows[128], 2048);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, rows, DataCopyParams{16, 5, 11, 0});
}
