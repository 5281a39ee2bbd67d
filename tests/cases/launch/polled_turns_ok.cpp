// Each block adds to the sum of the one before, whose flag it copies in until it is set. Blocks that run in their order
// find it set at once.
// launch: blocks=3 args=inout:f32[24],inout:i32[24]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR f) {
  GlobalTensor<float> yGm;
  GlobalTensor<int32_t> flags;
  yGm.SetGlobalBuffer((__gm__ float *)y, 24);
  flags.SetGlobalBuffer((__gm__ int32_t *)f, 24);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf, seen;
  pipe.InitBuffer(buf, 32);
  pipe.InitBuffer(seen, 32);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<int32_t> s = seen.Get<int32_t>();
  const int32_t me = GetBlockIdx();

  if (me > 0) {
    do {
      DataCopy(s, flags[(me - 1) * 8], 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    } while (s.GetValue(0) != 77);
  }
  DataCopy(t, yGm[me > 0 ? (me - 1) * 8 : 0], 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Adds(t, t, 1.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm[me * 8], t, 8);
  PipeBarrier<PIPE_ALL>();
  s.SetValue(0, 77);
  DataCopyPad(flags[me * 8], s, {1, 4, 0, 0, 0});
}
