// EnQue comes before DeQue.
// launch: blocks=1 args=in:f32[256],inout:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  TQue<QuePosition::VECOUT, 1> outQueue;
  pipe.InitBuffer(inQueue, 1, 256 * sizeof(float));
  pipe.InitBuffer(outQueue, 1, 256 * sizeof(float));

  LocalTensor<float> a = inQueue.AllocTensor<float>();
  DataCopy(a, xGm, 256);
  inQueue.EnQue(a);
  a = inQueue.DeQue<float>();
  inQueue.FreeTensor(a);
}
