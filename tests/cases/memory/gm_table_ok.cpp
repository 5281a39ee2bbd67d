// A kernel's own constants in Global Memory are copied and read like an input.
// launch: blocks=1 args=in:i32[64],out:i32[128]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

namespace tables {
__gm__ const int32_t kOffsets[64] = {1, 2, 3, 5, 8, 13};
}
static __gm__ const float kScale = 2.0f;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<int32_t> xGm, yGm, table;
  xGm.SetGlobalBuffer((__gm__ int32_t *)x, 64);
  yGm.SetGlobalBuffer((__gm__ int32_t *)y, 128);
  table.SetGlobalBuffer((__gm__ int32_t *)tables::kOffsets, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 128 * sizeof(int32_t));
  LocalTensor<int32_t> t = buf.Get<int32_t>();

  DataCopy(t, xGm, 64);
  DataCopy(t[64], table, 64);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(t, t, table.GetValue(4) + int32_t(kScale), 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 128);
}
