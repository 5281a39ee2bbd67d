// DeepNorm takes rows of at most 2040 elements.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  TBuf<QuePosition::VECCALC> big, tmpBuf;
  pipe.InitBuffer(big, 6 * 8192);
  pipe.InitBuffer(tmpBuf, 32768);
  LocalTensor<float> s = big.Get<float>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  Duplicate(s, 1.0f, 6 * 2048);
  DeepNormTiling tiling;
  tiling.bLength = 1, tiling.sLength = 1, tiling.hLength = tiling.originalHLength = 2048;
  DeepNorm(s, t, t[64], s[2048], s[4096], s[6144], s[8192], tmp, 0.5f, 1e-3f, tiling);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
