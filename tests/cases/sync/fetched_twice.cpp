// FetchEventID keeps no id: asked twice it gives the same one, which is set twice.
// launch: blocks=1 args=out:f32[64]
// expect: AK1303
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  const TEventID first = pipe.FetchEventID<HardEvent::V_MTE3>(), second = pipe.FetchEventID<HardEvent::V_MTE3>();
  SetFlag<HardEvent::V_MTE3>(first);
  SetFlag<HardEvent::V_MTE3>(second);  // <-- AK1303
  WaitFlag<HardEvent::V_MTE3>(first);
  WaitFlag<HardEvent::V_MTE3>(second);
  DataCopy(yGm, t, 64);
}
