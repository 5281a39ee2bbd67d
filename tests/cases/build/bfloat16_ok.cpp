// Constants, functions of the library, copies of values, and casts in branches and functions that no bfloat16 reaches.
// launch: blocks=1 args=in:bf16[64],in:f32[64],out:bf16[64],out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__aicore__ inline float Value(T v) {
  if constexpr (std::is_same_v<T, bfloat16_t>) return ToFloat(v);
  else return static_cast<float>(v);
}
template <typename T>
__aicore__ inline float WidthOr(T v) {
  if (sizeof(T) == 4) return static_cast<float>(v);
  return sizeof(T);
}
template <typename T>
__aicore__ inline T Zero() {
  return static_cast<T>(0);
}
__aicore__ inline float NobodyCalls(bfloat16_t v) { return v; }

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR f, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<bfloat16_t> xGm, yGm;
  GlobalTensor<float> fGm, zGm;
  xGm.SetGlobalBuffer((__gm__ bfloat16_t *)x, 64);
  fGm.SetGlobalBuffer((__gm__ float *)f, 64);
  yGm.SetGlobalBuffer((__gm__ bfloat16_t *)y, 64);
  zGm.SetGlobalBuffer((__gm__ float *)z, 64);
  LocalTensor<bfloat16_t> t(TPosition::VECCALC, 0, 64);
  LocalTensor<float> u(TPosition::VECCALC, 256, 64);
  const float half_of_it = 0.5f;
  constexpr bfloat16_t kOne = 1.0f;
  const bfloat16_t a = xGm.GetValue(0), b = ToBfloat16(fGm.GetValue(1)), c = half_of_it;
  printf("%f %f\n", a, kOne);
  Duplicate(t, Zero<bfloat16_t>(), 64);
  Duplicate(t, static_cast<bfloat16_t>(1.5f), 64);
  t.SetValue(0, a);
  t.SetValue(1, b);
  t.SetValue(2, c);
  Duplicate(u, Value(b) + Value(fGm.GetValue(2)) + WidthOr(a), 64);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
  DataCopy(zGm, u, 64);
}
