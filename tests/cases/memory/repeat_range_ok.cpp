// The repeats are split into two calls.
// launch: blocks=1 args=out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, sumBuf;
  pipe.InitBuffer(buf, 256 * 256);
  pipe.InitBuffer(sumBuf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<float> sums = sumBuf.Get<float>();
  Duplicate(t, 1.0f, 64 * 256);
  WholeReduceSum(sums, t, 64, 128, 1, 1, 8);
  WholeReduceSum(sums[128], t[64 * 128], 64, 128, 1, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, sums, 256);
}
