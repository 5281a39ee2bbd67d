// Block 0 waits for event 1 of block 1, which sets its event 0.
// launch: blocks=2 args=out:f32[64],inout:i32[64]
// expect: AK1301
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
  if (GetBlockIdx() == 0) InitOutput<int32_t>(workGm, 64, 0);
  SyncAll();
  if (GetBlockIdx() == 1) IBSet(workGm, s, 1, 0);
  if (GetBlockIdx() == 0) IBWait(workGm, s, 1, 1);  // <-- AK1301
}
