// A Gather of bytes that is compiled and not executed; what is executed takes two bytes at a time.
// launch: blocks=1 args=in:i8[256],out:i8[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__aicore__ inline void Pick(LocalTensor<T> to, LocalTensor<T> from, LocalTensor<uint32_t> offsets, uint32_t count) {
  if (sizeof(T) >= 2) Gather(to, from, offsets, 0, count);
  else Gather(to.template ReinterpretCast<half>(), from.template ReinterpretCast<half>(), offsets, 0, count);
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<int8_t> xGm;
  xGm.SetGlobalBuffer((__gm__ int8_t *)x, 256);
  GlobalTensor<int8_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int8_t *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB, offsetBuf;
  pipe.InitBuffer(bufA, 256);
  pipe.InitBuffer(bufB, 256);
  pipe.InitBuffer(offsetBuf, 128 * sizeof(uint32_t));
  LocalTensor<int8_t> a = bufA.Get<int8_t>();
  LocalTensor<int8_t> b = bufB.Get<int8_t>();
  LocalTensor<int32_t> offsets = offsetBuf.Get<int32_t>();
  CreateVecIndex(offsets, 0, 128);
  Muls(offsets, offsets, 2, 128);
  DataCopy(a, xGm, 256);
  DataCopy(b, xGm, 256);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Pick(b, a, offsets.ReinterpretCast<uint32_t>(), 128);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 256);
}
