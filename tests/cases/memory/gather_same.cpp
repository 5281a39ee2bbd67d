// Gather into the memory that it gathers from.
// launch: blocks=1 args=out:f32[64]
// expect: warning:AK1504
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
  LocalTensor<int32_t> offsets = t[1024].ReinterpretCast<int32_t>();
  CreateVecIndex(offsets, 0, 64u);
  Muls(offsets, offsets, 4, 64);
  Gather(t, t, offsets.ReinterpretCast<uint32_t>(), 0u, 64u);  // <-- warning:AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
