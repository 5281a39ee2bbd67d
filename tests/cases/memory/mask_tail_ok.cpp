// A mask is read in whole words. Bits of its tail that nothing defined decide whether an instruction runs, and then
// only for lanes that nobody copies out: the result is the same either way.
// launch: blocks=1 args=in:f32[44],out:f32[44]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 44);
  yGm.SetGlobalBuffer((__gm__ float *)y, 44);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> in, out, bits;
  pipe.InitBuffer(in, 256);
  pipe.InitBuffer(out, 256);
  pipe.InitBuffer(bits, 32);
  LocalTensor<float> a = in.Get<float>(), b = out.Get<float>();
  LocalTensor<uint8_t> m = bits.Get<uint8_t>();
  const DataCopyExtParams row{1, 44 * sizeof(float), 0, 0, 0};
  DataCopyPad(a, xGm, row, DataCopyPadExtParams<float>{false, 0, 0, 0});
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(b, a, 2.0f, 44);
  CompareScalar(m, a, -3.0f, CMPMODE::LT, 64);
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  uint64_t mask[1] = {m.ReinterpretCast<uint64_t>().GetValue(0)};
  if (mask[0] != 0) Adds(b, a, 1.0f, mask, 1, {1, 1, 8, 8});
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopyPad(yGm, b, row);
}
