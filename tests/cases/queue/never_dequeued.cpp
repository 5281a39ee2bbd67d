// A tensor is enqueued and nobody takes it out: its flag stays set.
// launch: blocks=1 args=in:f32[256]
// expect: warning:AK1302
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  pipe.InitBuffer(inQueue, 1, 256 * sizeof(float));
  LocalTensor<float> a = inQueue.AllocTensor<float>();
  DataCopy(a, xGm, 256);
  inQueue.EnQue(a);  // <-- warning:AK1302
}
