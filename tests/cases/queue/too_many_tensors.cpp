// Nine tensors wait in queues between the same pipes, which have eight event ids.
// launch: blocks=1 args=in:f32[256]
// expect: warning:AK1305
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 9> inQueue;
  pipe.InitBuffer(inQueue, 9, 256 * sizeof(float));
  for (int i = 0; i < 9; ++i) {
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, xGm, 256);
    inQueue.EnQue(a);  // <-- warning:AK1305
  }
  for (int i = 0; i < 9; ++i) {
    LocalTensor<float> a = inQueue.DeQue<float>();
    Adds(a, a, 1.0f, 256);
    inQueue.FreeTensor(a);
  }
}
