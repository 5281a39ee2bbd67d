// A cast to a wider type over its own source: the first repeat fills what the second one reads.
// launch: blocks=1 args=in:f16[128],out:f32[128]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<half> xGm;
  GlobalTensor<float> yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x, 128);
  yGm.SetGlobalBuffer((__gm__ float *)y, 128);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 128 * sizeof(float));
  LocalTensor<float> wide = buf.Get<float>();
  LocalTensor<half> narrow = wide.ReinterpretCast<half>();

  DataCopy(narrow, xGm, 128);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Cast(wide, narrow, RoundMode::CAST_NONE, 128);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, wide, 128);
}
