// A variable of which each block has its own is as new in each of them.
// launch: blocks=4 args=out:f32[256]
// expect: clean
// guest: each block has its variables; machine code has one of each for all
#include "kernel_operator.h"
using namespace AscendC;

struct Count {
  uint32_t tiles = 3;
};
__BLOCK_LOCAL__ __inline__ Count g_count;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y + 64 * GetBlockIdx(), 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  LocalTensor<float> t = buf.Get<float>();
  if (g_count.tiles != 3) Trap();
  g_count.tiles = 5;
  Duplicate(t, static_cast<float>(g_count.tiles), 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
