// An index of -1 that marks padding becomes an offset before the tensor.
// launch: blocks=1 args=in:f32[128],out:f32[64]
// expect: AK1002, AK1102
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
  const int64_t index = -1;
  DataCopy(row, xGm[index * 64], 64);  // <-- AK1002
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm, row, 64);  // <-- AK1102
}
