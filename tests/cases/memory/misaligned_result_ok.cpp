// A pair starts at 8 bytes, a value alone at 4.
// launch: blocks=1 args=out:f32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 512 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 512);
  WholeReduceMax(t[2], t[64], 64, 1, 1, 1, 8, ReduceOrder::ORDER_VALUE_INDEX);
  WholeReduceMax(t[5], t[64], 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 8);
}
