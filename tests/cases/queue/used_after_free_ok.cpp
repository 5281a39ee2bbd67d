// The handle outlives FreeTensor, and is used again only when its buffer is allocated again.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  TQue<QuePosition::VECOUT, 1> outQueue;
  pipe.InitBuffer(inQueue, 1, 256 * sizeof(float));
  pipe.InitBuffer(outQueue, 1, 256 * sizeof(float));

  LocalTensor<float> a = inQueue.AllocTensor<float>();
  DataCopy(a, xGm, 256);
  inQueue.EnQue(a);
  a = inQueue.DeQue<float>();
  LocalTensor<float> b = outQueue.AllocTensor<float>();
  Adds(b, a, 1.0f, 256);
  inQueue.FreeTensor(a);
  LocalTensor<float> again = inQueue.AllocTensor<float>();
  DataCopy(a, xGm, 256);
  inQueue.EnQue(again);
  inQueue.DeQue<float>();
  Add(b, b, a, 256);
  inQueue.FreeTensor(a);
  outQueue.EnQue(b);
  b = outQueue.DeQue<float>();
  DataCopy(yGm, b, 256);
  outQueue.FreeTensor(b);
}
