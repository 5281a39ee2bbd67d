// LayerNorm, its gradient and RmsNorm of the rows 0 … 7, 8 … 15, … against numbers worked out in float64.
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
  LocalTensor<float> x = t, gamma = t[64], beta = t[128], out = t[192], mean = t[256], variance = t[320], dx = t[384], res = t[448],
                     dgamma = t[512], dbeta = t[576];
  CreateVecIndex(x, 0.0f, 64);
  CreateVecIndex(gamma, 0.0f, 8);
  CreateVecIndex(beta, 0.0f, 8);

  LayerNormTiling tiling;
  tiling.bLength = 2, tiling.sLength = 4, tiling.hLength = tiling.originalHLength = 8;
  LayerNorm(out, mean, variance, x, gamma, beta, tmp, 1e-3f, tiling);
  assert(Near(mean.GetValue(1), 11.5f));
  assert(Near(variance.GetValue(7), 5.25f));
  assert(Near(out.GetValue(1), -0.090985553f));
  assert(Near(out.GetValue(63), 17.691658f));

  LayerNormGradTiling gradTiling;
  gradTiling.bLength = 1, gradTiling.sLength = 8, gradTiling.hLength = gradTiling.originalHLength = 8;
  LayerNormGrad(dx, res, x, x, variance, mean, gamma, tmp, 1e-3f, gradTiling);
  assert(Near(dx.GetValue(0), 3.0527234f));
  assert(Near(dx.GetValue(59), -2.1845890f));
  assert(Near(res.GetValue(0), -1.5273797f));

  LayerNormGradBetaTiling betaTiling;
  betaTiling.bLength = 1, betaTiling.sLength = 8, betaTiling.hLength = 8;
  LayerNormGradBeta(dgamma, dbeta, res, x, tmp, betaTiling);
  assert(Near(dbeta.GetValue(7), 280.0f));
  assert(Near(dgamma.GetValue(0) * 1e-2f, -3.4213307f));

  LayerNormPara para{8, 7, 8};
  LayerNormSeparateTiling separate;
  LayerNorm<float, float>(out, mean, variance, x, gamma, beta, 1e-3f, para, separate);
  assert(Near(mean.GetValue(0), 3.0f));
  assert(Near(variance.GetValue(0), 0.49993751f));

  RmsNormTiling rms;
  rms.bLength = 1, rms.sLength = 8, rms.hLength = rms.originalHLength = 8;
  RmsNorm(out, x, gamma, tmp, 1e-3f, rms);
  assert(Near(out.GetValue(7), 11.712906f));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, out, 64);
}
