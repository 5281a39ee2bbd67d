// A Vector kernel that lays out a Cube core's memories too, as shared resource classes do, one of them too large.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1401
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<TPosition::A1> l1;
  TBuf<TPosition::CO1> l0c;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(l1, 256 * 1024);
  pipe.InitBuffer(l0c, 256 * 1024);  // <-- AK1401
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> a = buf.Get<float>();
  DataCopy(a, xGm, 64);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(yGm, a, 64);
}
