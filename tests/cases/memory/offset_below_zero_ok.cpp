// An index of -1 that marks padding is left out before it becomes an offset.
// launch: blocks=1 args=in:f32[128],out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 128);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  LocalTensor<float> row = buf.Get<float>();
  for (int64_t index = -1; index < 2; ++index) {
    if (index < 0) continue;
    DataCopy(row, xGm[index * 64], 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(yGm, row, 64);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    PipeBarrier<PIPE_MTE3>();
  }
}
