// CeilAlign aligns to a number above zero.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  const uint32_t parts = CeilAlign(uint32_t(8), uint32_t(GetBlockNum() - 1));  // <-- AK1504
  Adds(t, t, static_cast<float>(parts), 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
