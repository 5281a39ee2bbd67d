// A block of a copy has at most 2097151 bytes.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1503 AK1001 AK1002 AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  DataCopyPad(t, xGm, DataCopyExtParams{1, 2097152, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});  // <-- AK1503
}
