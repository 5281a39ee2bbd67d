// At most 255 repeats in one instruction.
// launch: blocks=1 args=out:f32[256]
// expect: AK1501
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
  WholeReduceSum(sums, t, 64, 256, 1, 1, 8);  // <-- AK1501
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, sums, 256);
}
