// A SyncAll in software takes 32 bytes of the Unified Buffer for each of two blocks, and the last 32 of a buffer are
// given. Nor is the workspace zero.
// launch: blocks=2 args=inout:f32[64],inout:i32[16]
// expect: AK1003 AK1504
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
  TBuf<QuePosition::VECCALC> next;
  pipe.InitBuffer(next, 256);
  GlobalTensor<int32_t> workGm;
  workGm.SetGlobalBuffer((__gm__ int32_t *)work, 16);
  LocalTensor<int32_t> s = t[2040].ReinterpretCast<int32_t>();
  SyncAll(workGm, s);  // <-- AK1003
}
