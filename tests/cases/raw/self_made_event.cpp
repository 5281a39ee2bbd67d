// An event id made by hand that is already in use: the second set meets the first.
// launch: blocks=1 args=out:f32[256]
// expect: AK1303
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  TEventID mine = static_cast<TEventID>(2);
  Duplicate(t, 1.0f, 256);
  SetFlag<HardEvent::V_MTE3>(mine);
  SetFlag<HardEvent::V_MTE3>(static_cast<TEventID>(mine));  // <-- AK1303
  WaitFlag<HardEvent::V_MTE3>(mine);
  DataCopy(yGm, t, 256);
}
