// Two queues between the same pipes give back each other's tensors: both buffers are free again all the same.
// launch: blocks=1 args=in:f32[512],out:f32[512]
// expect: warning:AK1404
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 512);
  yGm.SetGlobalBuffer((__gm__ float *)y, 512);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> first, second;
  TQue<QuePosition::VECOUT, 1> outQueue;
  pipe.InitBuffer(first, 1, 256 * sizeof(float));
  pipe.InitBuffer(second, 1, 256 * sizeof(float));
  pipe.InitBuffer(outQueue, 1, 256 * sizeof(float));
  for (int i = 0; i < 2; ++i) {
    LocalTensor<float> a = first.AllocTensor<float>();
    LocalTensor<float> b = second.AllocTensor<float>();
    DataCopy(a, xGm[i * 256], 256);
    DataCopy(b, xGm[256 - i * 256], 256);
    first.EnQue(a);
    second.EnQue(b);
    a = first.DeQue<float>();
    b = second.DeQue<float>();
    LocalTensor<float> c = outQueue.AllocTensor<float>();
    Add(c, a, b, 256);
    outQueue.EnQue(c);
    second.FreeTensor(a);  // <-- warning:AK1404
    first.FreeTensor(b);
    c = outQueue.DeQue<float>();
    DataCopy(yGm[i * 256], c, 256);
    outQueue.FreeTensor(c);
  }
}
