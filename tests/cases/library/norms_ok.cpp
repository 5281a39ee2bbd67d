// GroupNorm, BatchNorm, DeepNorm, Normalize and Welford's pair against numbers worked out in float64.
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
  LocalTensor<float> x = t, gamma = t[64], beta = t[128], out = t[192], mean = t[256], variance = t[320], gx = t[384], m = t[448],
                     newMean = t[512], newM = t[576];
  CreateVecIndex(x, 0.0f, 64);
  CreateVecIndex(gamma, 0.0f, 8);
  CreateVecIndex(beta, 0.0f, 8);

  GroupNormTiling group;
  group.n = 2, group.c = 4, group.hw = group.hwAlignSize = 8, group.g = 2;
  GroupNorm(out, mean, variance, x, gamma, beta, tmp, 1e-3f, group);
  assert(Near(mean.GetValue(3), 55.5f));
  assert(Near(variance.GetValue(0), 21.25f));
  assert(Near(out.GetValue(8), 1.1084627f));
  assert(Near(out.GetValue(63), 7.8808205f));

  BatchNormTiling batch;
  batch.originalBLength = 8, batch.meanVarSize = 8;
  BatchNorm(out, mean, variance, x, gamma, beta, tmp, 1e-3f, batch);
  assert(Near(mean.GetValue(2), 30.0f));
  assert(Near(variance.GetValue(7), 336.0f));
  assert(Near(out.GetValue(16), 0.69069461f));

  DeepNormTiling deep;
  deep.bLength = 8, deep.sLength = 1, deep.hLength = deep.originalHLength = 8;
  Adds(gx, x, 0.0f, 64);
  DeepNorm(out, mean, variance, x, gx, beta, gamma, tmp, 0.5f, 1e-3f, deep);
  assert(Near(mean.GetValue(1), 17.25f));
  assert(Near(variance.GetValue(1), 11.8125f));
  assert(Near(out.GetValue(7), 17.692224f));

  CreateVecIndex(mean, 0.0f, 8);
  CreateVecIndex(m, 0.0f, 8);
  NormalizePara para{8, 8, 8};
  Normalize<float, float>(out, variance, mean, m, x, gamma, beta, 1e-3f, para);
  assert(Near(variance.GetValue(1), 0.99950037f));
  assert(Near(out.GetValue(9), 8.9960030f));

  WelfordUpdateParam update{1, 8, 8, 0.125f};
  WelfordUpdate<float, float>(newMean, newM, mean, m, x[8], tmp, update);
  assert(Near(newMean.GetValue(0), 1.0f));
  assert(Near(newM.GetValue(0), 56.0f));
  WelfordFinalizePara finalize{4, 8, 4, 8, 0, 0, 0.125f, 1.0f / 32, 0};
  WelfordFinalize(mean, variance, newMean, newM, tmp, finalize);
  assert(Near(mean.GetValue(0), 4.5f));
  assert(Near(variance.GetValue(0), 20.125f));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, out, 64);
}
