// The bound buffer is freed before its copy out: the next copy in may overwrite it.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: AK1202 warning:AK1008
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 256 * sizeof(float));

  LocalTensor<float> t = queue.AllocTensor<float>();
  DataCopy(t, xGm, 256);
  queue.EnQue(t);
  t = queue.DeQue<float>();
  queue.FreeTensor(t);  // <== warning:AK1008
  DataCopy(yGm, t, 256);  // <-- warning:AK1008
  t = queue.AllocTensor<float>();
  DataCopy(t, xGm, 256);  // <-- AK1202
  queue.FreeTensor(t);
}
