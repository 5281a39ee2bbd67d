// A reduction over rows takes half of them as working space; the buffer has one row.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, tmpBuf;
  pipe.InitBuffer(buf, 1024);
  pipe.InitBuffer(tmpBuf, 32);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  LocalTensor<float> x = t, out = t[64];
  Duplicate(t, 1.0f, 128);
  const uint32_t shape[] = {8, 8};
  ReduceSum<float, Pattern::Reduce::RA>(out, x, tmp, shape, true);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
