// Block 2 is waited for in a launch of two.
// launch: blocks=2 args=inout:f32[64],inout:i32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR work) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  GlobalTensor<int32_t> workGm;
  workGm.SetGlobalBuffer((__gm__ int32_t *)work, 64);
  LocalTensor<int32_t> s = t[512].ReinterpretCast<int32_t>();
  IBWait(workGm, s, 2, 0);  // <-- AK1504
}
