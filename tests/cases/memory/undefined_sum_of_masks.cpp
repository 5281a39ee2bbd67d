// Two masks whose last bytes come from undefined elements are added as numbers: what follows them in the number is undefined.
// launch: blocks=1 args=in:f32[1000],out:f32[1000]
// expect: AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 1000);
  yGm.SetGlobalBuffer((__gm__ float *)y, 1000);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> in, out, one, two;
  pipe.InitBuffer(in, 1024 * sizeof(float));
  pipe.InitBuffer(out, 1024 * sizeof(float));
  pipe.InitBuffer(one, 256);
  pipe.InitBuffer(two, 256);
  LocalTensor<float> t = in.Get<float>(), r = out.Get<float>();
  LocalTensor<uint8_t> a = one.Get<uint8_t>(), b = two.Get<uint8_t>();

  DataCopyPad(t[8], xGm, {1, 3968, 0, 0, 0}, {false, 0, 0, 0});
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  CompareScalar(a, t, -0.5f, CMPMODE::LT, 1024);
  CompareScalar(b, t, 0.5f, CMPMODE::GT, 1024);
  PipeBarrier<PIPE_V>();
  LocalTensor<int32_t> wa = a.ReinterpretCast<int32_t>(), wb = b.ReinterpretCast<int32_t>();
  Add(wa, wa, wb, 32);
  PipeBarrier<PIPE_V>();
  Select(r, a, t, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 1000);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopyPad(yGm, r, {1, 4000, 0, 0, 0});
}
