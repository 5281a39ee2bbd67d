// Waiting for a block does not write its data cache back.
// launch: blocks=2 args=inout:f32[256]
// expect: AK1211
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  if (GetBlockIdx() == 0) zGm.SetValue(0, 1.0f);
  SyncAll();
  if (GetBlockIdx() == 1) DataCopy(t, zGm, 256);  // <-- AK1211
}
