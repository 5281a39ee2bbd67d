// The offsets of a Gather start at 4 bytes.
// launch: blocks=1 args=out:f32[8]
// expect: AK1004
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 512 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 512);
  LocalTensor<uint32_t> offsets = t[128].ReinterpretCast<uint32_t>();
  Duplicate(offsets, uint32_t(0), 128);
  Gather(t, t[64], offsets[1], 0, 8);  // <-- AK1004
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 8);
}
