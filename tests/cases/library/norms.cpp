// The result of Normalize lies on its source.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 6 * 256);
  LocalTensor<float> t = buf.Get<float>();
  CreateVecIndex(t, 0.0f, 384);
  NormalizePara para{8, 8, 8};
  Normalize<float, float>(t, t[64], t[128], t[192], t, t[256], t[320], 1e-3f, para);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
