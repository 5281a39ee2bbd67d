// InitOutput fills Global Memory out of the Unified Buffer that is left; a copy in takes the same bytes without a wait.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1202
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  TBuf<QuePosition::VECCALC> next;
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  InitOutput<float>(yGm, 64, 2.0f);
  pipe.InitBuffer(next, 4096);
  LocalTensor<float> s = next.Get<float>();
  DataCopy(s, xGm, 64);  // <-- AK1202
}
