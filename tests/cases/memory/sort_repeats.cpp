// At most 255 repeats of 32 scores.
// launch: blocks=1 args=out:f32[64]
// expect: AK1501
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
  TBuf<QuePosition::VECCALC> big;
  pipe.InitBuffer(big, 16 * 1024 * 8);
  LocalTensor<float> s = big.Get<float>();
  Duplicate(s, 1.0f, 32768);
  Sort32(s[16384], s, s[8192].ReinterpretCast<uint32_t>(), 256);  // <-- AK1501
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
