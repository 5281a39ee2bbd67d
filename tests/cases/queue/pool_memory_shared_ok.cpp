// Two pools take turns in the same memory: a buffer that one gave back is the other's.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBufPool<TPosition::VECCALC> first, second;
  TQue<QuePosition::VECIN, 1> inQueue;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBufPool(first, 1024);
  pipe.InitBufPool(second, 1024, first);
  second.InitBuffer(buf, 256 * sizeof(float));
  first.InitBuffer(inQueue, 1, 256 * sizeof(float));

  LocalTensor<float> a = inQueue.AllocTensor<float>();
  DataCopy(a, xGm, 256);
  inQueue.EnQue(a);
  a = inQueue.DeQue<float>();
  Adds(a, a, 1.0f, 256);
  inQueue.FreeTensor(a);
  LocalTensor<float> b = buf.Get<float>();
  Adds(b, b, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 256);
}
