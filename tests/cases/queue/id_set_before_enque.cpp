// The same the other way round: EnQue takes the id that the kernel has set by hand.
// launch: blocks=1 args=in:f32[256]
// expect: AK1303
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  pipe.InitBuffer(inQueue, 1, 256 * sizeof(float));
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> b = buf.Get<float>();

  LocalTensor<float> a = inQueue.AllocTensor<float>();
  DataCopy(b, xGm, 256);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  DataCopy(a, xGm, 256);
  inQueue.EnQue(a);  // <-- AK1303
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  a = inQueue.DeQue<float>();
  Add(b, b, a, 256);
  inQueue.FreeTensor(a);
}
