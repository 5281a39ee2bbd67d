// A type that has no atomic copies, in a branch that is not taken.
// launch: blocks=1 args=inout:i32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__aicore__ inline void Store(GM_ADDR z, bool atomic) {
  if (atomic) SetAtomicAdd<T>();
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  LocalTensor<int32_t> t = buf.Get<int32_t>();
  GlobalTensor<int32_t> zGm;
  zGm.SetGlobalBuffer((__gm__ int32_t *)z, 64);
  Duplicate(t, 1, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(zGm, t, 64);
  SetAtomicNone();
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) { Store<uint8_t>(z, false); }
