// A mask is read in whole words, and what nothing defined counts: bits of its tail are in the sum.
// launch: blocks=1 args=in:f32[44],out:i32[8]
// expect: AK1101
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm;
  GlobalTensor<int32_t> yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 44);
  yGm.SetGlobalBuffer((__gm__ int32_t *)y, 8);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> in, out, bits;
  pipe.InitBuffer(in, 256);
  pipe.InitBuffer(out, 256);
  pipe.InitBuffer(bits, 32);
  LocalTensor<float> a = in.Get<float>();
  LocalTensor<int32_t> b = out.Get<int32_t>();
  LocalTensor<uint8_t> m = bits.Get<uint8_t>();
  const DataCopyExtParams row{1, 44 * sizeof(float), 0, 0, 0};
  DataCopyPad(a, xGm, row, DataCopyPadExtParams<float>{false, 0, 0, 0});
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  CompareScalar(m, a, 5.0f, CMPMODE::EQ, 64);
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  uint64_t mask = m.ReinterpretCast<uint64_t>().GetValue(0);  // <-- AK1101
  Duplicate(b, (int32_t)ScalarGetCountOfValue<1>(mask), 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, b, 8);
}
