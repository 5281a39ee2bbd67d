// The same tensor is queued twice: it is in the queue already, and the queue is full.
// launch: blocks=1 args=out:f32[256]
// expect: AK1303 AK1404 AK1405 warning:AK1302
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  TQue<QuePosition::VECOUT, 1> outQueue;
  pipe.InitBuffer(inQueue, 1, 256 * sizeof(float));
  pipe.InitBuffer(outQueue, 1, 256 * sizeof(float));

  LocalTensor<float> b = outQueue.AllocTensor<float>();
  Duplicate(b, 1.0f, 256);
  outQueue.EnQue(b);
  outQueue.EnQue(b);
  b = outQueue.DeQue<float>();
  DataCopy(yGm, b, 256);
  outQueue.FreeTensor(b);
}
