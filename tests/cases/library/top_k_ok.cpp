// TopK, LogSoftMax, Pad, DropOut, AscendAntiQuant and Arange against numbers worked out by hand.
// launch: blocks=1 args=out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline bool Near(float x, float want) {
  const float difference = x - want;
  return difference < 1e-4f && difference > -1e-4f;
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, tmpBuf;
  pipe.InitBuffer(buf, 16 * 256);
  pipe.InitBuffer(tmpBuf, 16384);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  LocalTensor<float> x = t, out = t[64], sum = t[128], max = t[192];

  Arange(x, -4.0f, 0.5f, 64);  // -4 … 27.5
  assert(Near(x.GetValue(63), 27.5f));
  LocalTensor<int32_t> index = sum.ReinterpretCast<int32_t>(), noIndex;
  LocalTensor<bool> finish;
  TopkTiling topk;
  TopKInfo info;
  info.outter = 2, info.inner = 32, info.n = 32;
  TopK<float>(out, index, x, noIndex, finish, tmp, 3, topk, info, true);
  assert(Near(out.GetValue(0), 11.5f) && Near(out.GetValue(10), 26.5f));
  assert(index.GetValue(0) == 31 && index.GetValue(10) == 29);
  TopK<float, false, false, false, TopKMode::TOPK_NSMALL>(out, index, x, noIndex, finish, tmp, 3, topk, info, false);
  assert(Near(out.GetValue(2), -3.0f) && Near(out.GetValue(3), 12.0f));
  assert(index.GetValue(5) == 2);

  // log10 of softmax of -4, -3.5, … -0.5: the last is log10(1 / (1 + e^-0.5 + … + e^-3.5)).
  LogSoftMaxTiling logTiling;
  logTiling.srcM = 1, logTiling.srcK = 8;
  LogSoftMax(out, sum, max, x, tmp, logTiling);
  assert(Near(max.GetValue(7), -0.5f));
  assert(Near(sum.GetValue(0), 2.4949450f));
  assert(Near(out.GetValue(7), -0.3970610f));

  PadTiling padTiling;
  padTiling.srcHeight = 8, padTiling.srcWidth = padTiling.srcOriWidth = 7;
  PadParams pad{0, 1, 9};
  Pad(out, x, pad, tmp, padTiling);
  assert(Near(out.GetValue(7), 9.0f) && Near(out.GetValue(8), x.GetValue(7)));

  LocalTensor<uint8_t> mask = max.ReinterpretCast<uint8_t>();
  Duplicate(max.ReinterpretCast<uint16_t>(), uint16_t(0x0001), 16);  // 1, 0, 1, 0, …
  DropOutShapeInfo shape;
  shape.firstAxis = 1, shape.srcLastAxis = 32, shape.maskLastAxis = 32;
  DropOut(out, x, mask, tmp, 0.5f, shape);
  assert(Near(out.GetValue(2), -6.0f) && Near(out.GetValue(3), 0.0f));

  LocalTensor<int8_t> q = max.ReinterpretCast<int8_t>();
  q.SetSize(32);
  LocalTensor<half> h = sum.ReinterpretCast<half>();
  AscendAntiQuant<int8_t, half, false>(h, q[0], half(3), half(0.5), 1);
  assert(Near(static_cast<float>(h.GetValue(0)), 2.0f) && Near(static_cast<float>(h.GetValue(1)), 1.5f));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, x, 64);
}
