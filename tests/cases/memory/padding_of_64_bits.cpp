// Integers of 64 bits are padded with zeros and nothing else.
// launch: blocks=1 args=in:i64[64],out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  GlobalTensor<int64_t> xGm;
  xGm.SetGlobalBuffer((__gm__ int64_t *)x, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
  LocalTensor<int64_t> n = t[1024].ReinterpretCast<int64_t>();
  DataCopyPad(n, xGm, DataCopyExtParams{1, 24, 0, 0, 0}, DataCopyPadExtParams<int64_t>{true, 0, 1, 7});  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
