// Nine tensors wait in queues between the same two pipes, which have eight event ids.
// launch: blocks=1 args=in:f32[576],out:f32[64]
// expect: AK1305
#include "kernel_operator.h"
using namespace AscendC;

constexpr int kTensors = 9;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64 * kTensors);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  TQue<QuePosition::VECOUT, 1> outQueue;
  pipe.InitBuffer(inQueue, kTensors, 64 * sizeof(float));
  pipe.InitBuffer(outQueue, 1, 64 * sizeof(float));
  for (int i = 0; i < kTensors; ++i) {
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, xGm[64 * i], 64);
    inQueue.EnQue(a);  // <-- AK1305
  }
  LocalTensor<float> sum = outQueue.AllocTensor<float>();
  Duplicate(sum, 0.0f, 64);
  for (int i = 0; i < kTensors; ++i) {
    LocalTensor<float> a = inQueue.DeQue<float>();
    Add(sum, sum, a, 64);
    inQueue.FreeTensor(a);
  }
  outQueue.EnQue(sum);
  sum = outQueue.DeQue<float>();
  DataCopy(yGm, sum, 64);
  outQueue.FreeTensor(sum);
}
