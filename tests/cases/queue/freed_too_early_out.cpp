// The output buffer is freed before its copy out: the next result may overwrite it.
// launch: blocks=1 args=out:f32[256]
// expect: AK1202 warning:AK1008
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
  b = outQueue.DeQue<float>();
  outQueue.FreeTensor(b);  // <== warning:AK1008
  DataCopy(yGm, b, 256);  // <-- warning:AK1008
  LocalTensor<float> next = outQueue.AllocTensor<float>();
  Duplicate(next, 2.0f, 256);  // <-- AK1202
  outQueue.FreeTensor(next);
}
