// One call of each form that existing kernels use, and API functions as template arguments of their exact type.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
using Unary = void(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);
template <typename T>
using Binary = void(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);
template <typename T>
using Sliced = void(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<T>&, uint64_t, const uint8_t,
                    const BinaryRepeatParams&);
template <typename T>
using WithScalar = void(const LocalTensor<T>&, const LocalTensor<T>&, const T&, const int32_t&);
template <typename T>
using Advanced = void(const LocalTensor<T>&, const LocalTensor<T>&, const uint32_t);

template <typename T, Unary<T>* op>
void Apply(const LocalTensor<T>& x) {
  op(x, x, 8);
}
template <typename T, Binary<T>* op>
void Apply2(const LocalTensor<T>& x) {
  op(x, x, x, 8);
}
template <typename T, Sliced<T>* op>
void ApplySliced(const LocalTensor<T>& x) {
  op(x, x, x, 64, 1, {1, 1, 1, 8, 8, 8});
}
template <typename T, WithScalar<T>* op>
void ApplyScalar(const LocalTensor<T>& x) {
  op(x, x, T(2), 8);
}
template <typename T, Advanced<T>* op>
void ApplyAdvanced(const LocalTensor<T>& x) {
  op(x, x, 8);
}

template <typename T>
void TemplateArguments(const LocalTensor<T>& x) {
  Apply<T, Exp<T>>(x), Apply<T, Ln<T>>(x), Apply<T, Sqrt<T>>(x), Apply<T, Abs<T>>(x), Apply<T, Reciprocal<T>>(x);
  Apply2<T, Add<T>>(x), Apply2<T, Div<T>>(x), Apply2<T, Max<T>>(x);
  ApplySliced<T, Sub<T>>(x), ApplySliced<T, Div<T>>(x);
  ApplyScalar<T, Adds<T>>(x), ApplyScalar<T, Muls<T>>(x), ApplyScalar<T, Mins<T>>(x);
  ApplyAdvanced<T, Tanh<T, false>>(x), ApplyAdvanced<T, Erf<T, false>>(x), ApplyAdvanced<T, Sign<T, false>>(x);
}
template void TemplateArguments(const LocalTensor<float>&);
template void TemplateArguments(const LocalTensor<half>&);

void Elementwise(LocalTensor<float> a, LocalTensor<half> h, LocalTensor<int32_t> i, LocalTensor<int16_t> s) {
  uint64_t mask[2] = {~0ull, 0};
  Exp(a, a, mask, 1, {1, 1, 8, 8});
  Exp<float, false>(a, a, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  And(s, s, s, 16);
  And(i, i, i, 16);
  Muls<float>(a, a, 2, 16);
  ShiftRight(i, i, 3, mask, 1, {1, 1, 8, 8}, true);
  Axpy(a, h, half(1), 16);
  MulAddDst(a, h, h, 16);
  Cast(a, h, RoundMode::CAST_NONE, 16);
  Cast(h, a, RoundMode::CAST_RINT, 64, 1, {1, 1, 4, 8});
  Duplicate<float>(a, 0, 64, 1, 1, 8);
  CreateVecIndex(i, 0, 64u);
  Copy(a, a, 64, 1, {1, 1, 8, 8});
}

void CompareAndReduce(LocalTensor<float> a, LocalTensor<uint8_t> u) {
  uint64_t mask[2] = {~0ull, 0};
  Compare(a, a, CMPMODE::LT, 64, {1, 1, 1, 8, 8, 8});
  Compares(u, a, 1.0f, CMPMODE::GE, 64);
  Select(a, u, a, a, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  Select(a, u, a, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, mask, 1, {1, 1, 1, 8, 8, 8});
  Select<float, SELMODE::VSEL_CMPMASK_SPR>(a, a, a, 1, {1, 1, 1, 8, 8, 8});
  WholeReduceMax<float>(a, a, mask, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  ReduceRepeat<ReduceType::SUM>(a, a, 64, 1, 1, 1, 8);
  ReduceMax(a, a, a, 64, true);
  ReduceMax(a, a, a, 64, 2, 8, true);
  ReduceSum(a, a, a, mask, 2, 8);
  float value = GetAccVal<float>();
  uint64_t bits = GetAccVal();
  GetReduceMaxMinCount<float>(value, value);
  (void)bits;
}

void AdvancedForms(LocalTensor<float> a, LocalTensor<uint8_t> u, LocalTensor<bool> m) {
  Exp(a, a, 8);
  Exp<float, 15, false>(a, a, 8);
  Power<float, false>(a, a, 2.0f, 8), Power<float, false>(a, 2.0f, a, 8), Power(a, a, a, u);
  uint32_t to[2] = {2, 8}, from[2] = {2, 1};
  BroadCast<float, 2, 1>(a, a, to, from, u);
  Sum(a, a, SumParams{1, 8, 8});
  SelectWithBytesMaskShapeInfo info;
  Select(a, a, 1.0f, m, u, info), SelectWithBytesMask(a, 1.0f, a, m, u, info);
  SoftMax<float>(a, a, SoftMaxTiling(), SoftMaxShapeInfo{1, 8, 1, 8});
  SoftMax<float>(a, a, a, a, SoftMaxTiling(), SoftMaxShapeInfo{1, 8, 1, 8});
  LocalTensor<half> halves = a.ReinterpretCast<half>();
  SoftMax<half>(halves, a, a, halves, SoftMaxTiling(), SoftMaxShapeInfo{1, 16, 1, 16});
}
