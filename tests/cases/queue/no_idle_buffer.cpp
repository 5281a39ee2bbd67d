// Two tensors out of a queue with one buffer.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: AK1403
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
  LocalTensor<float> b = inQueue.AllocTensor<float>();  // <-- AK1403
  DataCopy(a, xGm, 256);
  DataCopy(b, xGm, 256);
}
