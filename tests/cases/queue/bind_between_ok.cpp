// A bound queue whose tensor is computed in place: each EnQue and DeQue names the positions that it orders.
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
    DataCopy(t, xGm[64 * i], 64);
    queue.EnQue<QuePosition::GM, QuePosition::VECIN, float>(t);
    t = queue.DeQue<QuePosition::GM, QuePosition::VECIN, float>();
    Relu(t, t, 64);
    queue.EnQue<QuePosition::VECOUT, QuePosition::GM, float>(t);
    t = queue.DeQue<QuePosition::VECOUT, QuePosition::GM, float>();
    DataCopy(yGm[64 * i], t, 64);
    queue.FreeTensor(t);
  }
}
