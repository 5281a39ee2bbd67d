// An id of AllocEventID is none of a queue's.
// launch: blocks=1 args=in:f32[256]
// expect: clean
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
  DataCopy(a, xGm, 256);
  inQueue.EnQue(a);
  DataCopy(b, xGm, 256);
  const TEventID id = pipe.AllocEventID<HardEvent::MTE2_V>();
  SetFlag<HardEvent::MTE2_V>(id);
  WaitFlag<HardEvent::MTE2_V>(id);
  pipe.ReleaseEventID<HardEvent::MTE2_V>(id);
  a = inQueue.DeQue<float>();
  Add(b, b, a, 256);
  inQueue.FreeTensor(a);
}
