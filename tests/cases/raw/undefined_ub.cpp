// A plain load from UB that nothing has written.
// launch: blocks=1 args=out:f32[8]
// expect: AK1101
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  __ubuf__ float *raw = (__ubuf__ float *)t.GetPhyAddr();
  if (raw[3] > 1.0f) raw[0] = 0;  // <-- AK1101
  for (uint32_t i = 0; i < 8; ++i) t.SetValue(i, 1.0f);
  DataCopy(yGm, t, 8);
}
