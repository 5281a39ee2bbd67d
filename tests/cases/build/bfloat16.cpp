// The scalar unit has no bfloat16: casts either way, arithmetic, comparisons and assignments of values that are no
// constants are refused.
// launch: blocks=1 args=in:bf16[64],in:f32[64],out:bf16[64],out:f32[64]
// expect: build_error the scalar unit has no bfloat16 casts or arithmetic
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__aicore__ inline float Twice(T v) {
  return static_cast<float>(v) * 2;  // <-- refused
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR f, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<bfloat16_t> xGm, yGm;
  GlobalTensor<float> fGm, zGm;
  xGm.SetGlobalBuffer((__gm__ bfloat16_t *)x, 64);
  fGm.SetGlobalBuffer((__gm__ float *)f, 64);
  yGm.SetGlobalBuffer((__gm__ bfloat16_t *)y, 64);
  zGm.SetGlobalBuffer((__gm__ float *)z, 64);
  LocalTensor<bfloat16_t> t(TPosition::VECCALC, 0, 64);
  LocalTensor<float> u(TPosition::VECCALC, 256, 64);
  bfloat16_t a = xGm.GetValue(0);
  const bfloat16_t b = static_cast<bfloat16_t>(fGm.GetValue(1));  // <-- refused
  a += fGm.GetValue(2);  // <-- refused
  const float c = a;  // <-- refused
  const bool less = a < b;  // <-- refused
  t.SetValue(3, a - b);  // <-- refused
  Duplicate(t, a, 64);
  Duplicate(u, Twice(b) + c + less, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
  DataCopy(zGm, u, 64);
}
