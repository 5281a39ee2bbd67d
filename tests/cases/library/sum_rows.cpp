// Rows begin six floats apart, where DataBlocks have eight.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  TBuf<QuePosition::VECCALC> tmpBuf;
  pipe.InitBuffer(tmpBuf, 4096);
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  Sum(t, t[512], tmp, SumParams{4, 6, 6});  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
