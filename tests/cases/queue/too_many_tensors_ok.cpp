// Eight of them.
// launch: blocks=1 args=in:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 8> inQueue;
  pipe.InitBuffer(inQueue, 8, 256 * sizeof(float));
  for (int i = 0; i < 8; ++i) {
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, xGm, 256);
    inQueue.EnQue(a);
  }
  for (int i = 0; i < 8; ++i) {
    LocalTensor<float> a = inQueue.DeQue<float>();
    Adds(a, a, 1.0f, 256);
    inQueue.FreeTensor(a);
  }
}
