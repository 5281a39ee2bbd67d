// Reductions of three rows by pattern against numbers worked out by hand: rows of five floats begin at DataBlocks.
// launch: blocks=1 args=out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, tmpBuf;
  pipe.InitBuffer(buf, 1024);
  pipe.InitBuffer(tmpBuf, 1024);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  LocalTensor<float> x = t, out = t[64];

  Duplicate(t, 0.0f, 128);
  const uint32_t shape[] = {3, 5};
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t c = 0; c < 5; ++c) x.SetValue(r * 8 + c, float(r * 10 + c));
  ReduceSum<float, Pattern::Reduce::AR>(out, x, tmp, shape, true);
  assert(out.GetValue(0) == 10.0f && out.GetValue(2) == 110.0f);
  ReduceMean<float, Pattern::Reduce::RA>(out, x, tmp, shape, true);
  assert(out.GetValue(0) == 10.0f && out.GetValue(4) == 14.0f);
  ReduceMax<float, Pattern::Reduce::AR>(out, x, tmp, shape, true);
  assert(out.GetValue(0) == 4.0f && out.GetValue(1) == 14.0f);
  ReduceMin<float, Pattern::Reduce::RA>(out, x, tmp, shape, true);
  assert(out.GetValue(0) == 0.0f && out.GetValue(4) == 4.0f);
  ReduceProd<float, Pattern::Reduce::RA>(out, x, tmp, shape, true);
  assert(out.GetValue(0) == 0.0f && out.GetValue(1) == 231.0f);
  ReduceAny<float, Pattern::Reduce::AR>(out, x, tmp, shape, true);
  assert(out.GetValue(0) == 1.0f);
  ReduceAll<float, Pattern::Reduce::AR>(out, x, tmp, shape, true);
  assert(out.GetValue(0) == 0.0f && out.GetValue(1) == 1.0f);

  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
