// The mode in which masks count elements is still on when the block ends.
// launch: blocks=1 args=out:f32[64]
// expect: warning:AK1306
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
  SetMaskCount();  // <-- warning:AK1306
  SetVectorMask<float, MaskMode::COUNTER>(0, 64);
  Adds<float, false>(t, t[512], 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
