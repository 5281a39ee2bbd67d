// Integers by their standard names, without an include.
// launch: blocks=1 args=out:i32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  const std::int8_t one = 1;
  const std::uint64_t eight = 8;
  GlobalTensor<std::int32_t> yGm;
  yGm.SetGlobalBuffer((__gm__ std::int32_t *)y, eight);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32 * one);
  LocalTensor<std::int32_t> t = buf.Get<std::int32_t>();
  Duplicate(t, std::int32_t{one}, static_cast<std::int32_t>(eight));
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 8);
}
