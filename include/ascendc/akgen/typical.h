// What many kernels use of the headers' templates, used once: where this is precompiled, the
// functions behind it are compiled once, and left out of what kernels are compiled to. Nothing here
// ever runs.
#ifndef AKGEN_TYPICAL_H
#define AKGEN_TYPICAL_H
#include "kernel_operator.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

namespace AscendC {
namespace akgen_impl {

template <typename T, typename Queue>
__aicore__ inline void AkgenTypicalQueue(TPipe& pipe, Queue& queue, uint32_t n) {
  pipe.InitBuffer(queue, 2, n);
  LocalTensor<T> made = queue.template AllocTensor<T>();
  queue.EnQue(made);
  LocalTensor<T> taken = queue.template DeQue<T>();
  queue.FreeTensor(taken);
}

template <typename T>
__aicore__ inline void AkgenTypicalViews(const LocalTensor<T>& of) {
  (void)of.template ReinterpretCast<float>();
  (void)of.template ReinterpretCast<half>();
  (void)of.template ReinterpretCast<bfloat16_t>();
  (void)of.template ReinterpretCast<int32_t>();
  (void)of.template ReinterpretCast<uint32_t>();
  (void)of.template ReinterpretCast<int16_t>();
  (void)of.template ReinterpretCast<uint16_t>();
  (void)of.template ReinterpretCast<int8_t>();
  (void)of.template ReinterpretCast<uint8_t>();
}

template <typename T>
__aicore__ inline void AkgenTypicalTensors(TPipe& pipe, GM_ADDR at, uint32_t n) {
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, n);
  LocalTensor<T> local = buffer.template Get<T>();
  local = buffer.template Get<T>(n);
  local = local[n];
  AkgenTypicalViews(local);
  GlobalTensor<T> global;
  global.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(at));
  global.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(at), n);
  global = global[n];
  local.SetValue(n, local.GetValue(n));
  global.SetValue(n, global.GetValue(n));
  DataCopy(local, global, n);
  DataCopy(global, local, n);
  DataCopy(local, local, n);
  DataCopyPad(local, global, DataCopyExtParams{1, n, 0, 0, 0},
              DataCopyPadExtParams<T>{false, 0, 0, 0});
  DataCopyPad(global, local, DataCopyExtParams{1, n, 0, 0, 0});
}

template <typename T>
__aicore__ inline void AkgenTypicalQueues(TPipe& pipe, uint32_t n) {
  TQue<TPosition::VECIN, 1> in1;
  TQue<TPosition::VECIN, 2> in2;
  TQue<TPosition::VECOUT, 1> out1;
  TQue<TPosition::VECOUT, 2> out2;
  AkgenTypicalQueue<T>(pipe, in1, n);
  AkgenTypicalQueue<T>(pipe, in2, n);
  AkgenTypicalQueue<T>(pipe, out1, n);
  AkgenTypicalQueue<T>(pipe, out2, n);
}

template <typename T>
__aicore__ inline void AkgenTypicalNumbers(const LocalTensor<T>& x, int32_t n) {
  Duplicate(x, T(0), n);
  Add(x, x, x, n);
  Sub(x, x, x, n);
  Mul(x, x, x, n);
  Max(x, x, x, n);
  Min(x, x, x, n);
  Adds(x, x, T(0), n);
  Muls(x, x, T(0), n);
  Maxs(x, x, T(0), n);
  Mins(x, x, T(0), n);
  Relu(x, x, n);
}

template <typename T>
__aicore__ inline void AkgenTypicalReals(const LocalTensor<T>& x, const LocalTensor<uint8_t>& bits,
                                         int32_t n) {
  AkgenTypicalNumbers(x, n);
  Div(x, x, x, n);
  Abs(x, x, n);
  Exp(x, x, n);
  Ln(x, x, n);
  Sqrt(x, x, n);
  Rsqrt(x, x, n);
  Reciprocal(x, x, n);
  ReduceSum(x, x, x, n);
  ReduceMax(x, x, x, n);
  WholeReduceSum(x, x, n, n, 1, 1, 8);
  WholeReduceMax(x, x, n, n, 1, 1, 8);
  Compare(bits, x, x, CMPMODE::LT, n);
  CompareScalar(bits, x, T(0), CMPMODE::LT, n);
  Select(x, bits, x, T(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
  Select(x, bits, x, x, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
}

// The forms with a mask.
template <typename T>
__aicore__ inline void AkgenTypicalSlices(const LocalTensor<T>& x, uint64_t mask, uint8_t times) {
  const BinaryRepeatParams two(1, 1, 1, 8, 8, 8);
  const UnaryRepeatParams one(1, 1, 8, 8);
  Add(x, x, x, mask, times, two);
  Sub(x, x, x, mask, times, two);
  Mul(x, x, x, mask, times, two);
  Div(x, x, x, mask, times, two);
  Max(x, x, x, mask, times, two);
  Adds(x, x, T(0), mask, times, one);
  Muls(x, x, T(0), mask, times, one);
  Brcb(x, x, times, {1, 8});
}

template <typename T, typename U>
__aicore__ inline void AkgenTypicalCasts(const LocalTensor<T>& to, const LocalTensor<U>& from,
                                         uint32_t n) {
  Cast(to, from, RoundMode::CAST_RINT, n);
  Cast(from, to, RoundMode::CAST_RINT, n);
}

template <HardEvent event>
__aicore__ inline void AkgenTypicalEvent() {
  SetFlag<event>(0);
  WaitFlag<event>(0);
}

__aicore__ inline void AkgenTypical(TPipe& pipe, GM_ADDR at, uint32_t n) {
  const LocalTensor<float> f;
  const LocalTensor<half> h;
  const LocalTensor<bfloat16_t> b;
  const LocalTensor<int32_t> i;
  const LocalTensor<uint8_t> u;
  AkgenTypicalTensors<float>(pipe, at, n);
  AkgenTypicalTensors<half>(pipe, at, n);
  AkgenTypicalTensors<bfloat16_t>(pipe, at, n);
  AkgenTypicalTensors<int32_t>(pipe, at, n);
  AkgenTypicalTensors<uint8_t>(pipe, at, n);
  AkgenTypicalTensors<int8_t>(pipe, at, n);
  AkgenTypicalQueues<float>(pipe, n);
  AkgenTypicalQueues<half>(pipe, n);
  AkgenTypicalQueues<bfloat16_t>(pipe, n);
  AkgenTypicalQueues<int32_t>(pipe, n);
  AkgenTypicalReals(f, u, n);
  AkgenTypicalReals(h, u, n);
  AkgenTypicalNumbers(i, n);
  AkgenTypicalSlices(f, n, n);
  AkgenTypicalCasts(f, h, n);
  AkgenTypicalCasts(f, b, n);
  AkgenTypicalCasts(f, i, n);
  AkgenTypicalEvent<HardEvent::MTE2_V>();
  AkgenTypicalEvent<HardEvent::V_MTE2>();
  AkgenTypicalEvent<HardEvent::V_MTE3>();
  AkgenTypicalEvent<HardEvent::MTE3_V>();
  AkgenTypicalEvent<HardEvent::MTE3_MTE2>();
  AkgenTypicalEvent<HardEvent::MTE2_MTE3>();
  AkgenTypicalEvent<HardEvent::S_V>();
  AkgenTypicalEvent<HardEvent::V_S>();
  PipeBarrier<PIPE_V>();
  PipeBarrier<PIPE_ALL>();
}

}  // namespace akgen_impl
}  // namespace AscendC

#pragma clang attribute pop

#endif  // AKGEN_TYPICAL_H
