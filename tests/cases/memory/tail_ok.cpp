// A ragged tail, copied byte-exactly: 250 of 256 floats.
// launch: blocks=1 args=in:f32[250],out:f32[250]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 250);
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 250);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  TQue<QuePosition::VECOUT, 1> outQueue;
  pipe.InitBuffer(inQueue, 1, 256 * sizeof(float));
  pipe.InitBuffer(outQueue, 1, 256 * sizeof(float));

  LocalTensor<float> a = inQueue.AllocTensor<float>();
  DataCopyPad(a, xGm, DataCopyExtParams{1, 250 * sizeof(float), 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
  inQueue.EnQue(a);
  a = inQueue.DeQue<float>();
  LocalTensor<float> b = outQueue.AllocTensor<float>();
  Adds(b, a, 1.0f, 250);
  inQueue.FreeTensor(a);
  outQueue.EnQue(b);
  b = outQueue.DeQue<float>();
  DataCopyPad(yGm, b, DataCopyExtParams{1, 250 * sizeof(float), 0, 0, 0});
  outQueue.FreeTensor(b);
}
