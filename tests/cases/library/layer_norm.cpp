// A temporary buffer of half a row: LayerNorm needs three rows and the moments.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, tmpBuf;
  pipe.InitBuffer(buf, 6 * 256);
  pipe.InitBuffer(tmpBuf, 32);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  CreateVecIndex(t, 0.0f, 384);
  LayerNormTiling tiling;
  tiling.bLength = 2, tiling.sLength = 4, tiling.hLength = tiling.originalHLength = 8;
  LayerNorm(t[192], t[256], t[320], t, t[64], t[128], tmp, 1e-3f, tiling);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t[192], 64);
}
