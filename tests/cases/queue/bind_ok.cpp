// A bound queue hands a tensor from copy in to copy out.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, 64 * sizeof(float));
  for (int i = 0; i < 4; ++i) {
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm[i * 64], 64);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(yGm[i * 64], t, 64);
    queue.FreeTensor(t);
  }
}
