// The input buffer is freed before the vector unit has read it: the next copy may overwrite it.
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
  TQue<QuePosition::VECIN, 1> inQueue;
  TQue<QuePosition::VECOUT, 1> outQueue;
  pipe.InitBuffer(inQueue, 1, 256 * sizeof(float));
  pipe.InitBuffer(outQueue, 1, 256 * sizeof(float));

  LocalTensor<float> b = outQueue.AllocTensor<float>();
  LocalTensor<float> a = inQueue.AllocTensor<float>();
  DataCopy(a, xGm, 256);
  inQueue.EnQue(a);
  a = inQueue.DeQue<float>();
  inQueue.FreeTensor(a);  // <== warning:AK1008
  Adds(b, a, 1.0f, 256);  // <-- warning:AK1008
  LocalTensor<float> next = inQueue.AllocTensor<float>();
  DataCopy(next, xGm, 256);  // <-- AK1202
  inQueue.EnQue(next);
  next = inQueue.DeQue<float>();
  inQueue.FreeTensor(next);
  outQueue.EnQue(b);
  b = outQueue.DeQue<float>();
  DataCopy(yGm, b, 256);
  outQueue.FreeTensor(b);
}
