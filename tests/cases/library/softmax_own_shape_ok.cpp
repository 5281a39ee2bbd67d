// Two rows of 12 floats, padded with zeros to 16: the functions are given no shape and a tiling that knows nothing of
// the padding; what the source was given by SetShapeInfo counts.
// launch: blocks=1 args=out:f32[32]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline bool Near(float x, float want) {
  const float difference = x - want;
  return difference < 1e-4f && difference > -1e-4f;
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 32);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, tmpBuf;
  pipe.InitBuffer(buf, 32 * 6 * sizeof(float));
  pipe.InitBuffer(tmpBuf, 16384);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  LocalTensor<float> x = t, out = t[32], sum = t[64], max = t[96], scale = t[128], grad = t[160];
  const uint32_t padded[] = {1, 2, 16}, original[] = {2, 12};
  SoftMaxTiling tiling;
  tiling.srcM = 2, tiling.srcK = 16;

  Duplicate(x, 0.0f, 32);
  Duplicate(x, -1.0f, uint64_t(12), 2, 1, 2);  // a maximum below the padding
  x.SetShapeInfo(ShapeInfo(3, padded, 2, original, DataFormat::ND));
  SoftmaxFlashV2<float>(out, sum, max, x, scale, sum, max, tmp, tiling);
  assert(Near(max.GetValue(0), -1.0f) && Near(max.GetValue(15), -1.0f));
  assert(Near(sum.GetValue(0), 12.0f) && Near(sum.GetValue(15), 12.0f));
  assert(Near(out.GetValue(0), 1.0f) && Near(out.GetValue(27), 1.0f));

  SoftMax<float>(out, sum, max, x, tmp, tiling);
  assert(Near(max.GetValue(0), -1.0f) && Near(sum.GetValue(8), 12.0f) && Near(out.GetValue(27), 1.0f / 12));
  SoftMax<float>(out, x, tmp, tiling, SoftMaxShapeInfo{2, 16, 2, 16});  // a shape that is given comes first
  assert(Near(out.GetValue(15), 1.0f / (4 + 12 * 0.36787944f)));

  LogSoftMaxTiling logTiling;
  logTiling.srcM = 2, logTiling.srcK = 16;
  LogSoftMax(out, sum, max, x, tmp, logTiling);
  assert(Near(max.GetValue(8), -1.0f) && Near(out.GetValue(16), -1.0791812f));  // log10 of 1 / 12

  Duplicate(grad, 1.0f, 32);
  SoftmaxGradFront<float>(sum, grad, x, tmp, tiling);
  assert(Near(sum.GetValue(0), -12.0f) && Near(sum.GetValue(8), -12.0f));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, grad, 32);
}
