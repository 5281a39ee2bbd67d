// One dtype or shape per case that a 2201 vector unit does not have.
#include "kernel_operator.h"
using namespace AscendC;
#ifndef PICK
#define PICK 0
#endif
// Only the picked case has a body that is instantiated.
#define CASE(number, ...)           \
  template <int pick>               \
  void Case##number(Tensors t) {    \
    if constexpr (pick == number) { \
      __VA_ARGS__;                  \
    }                               \
  }                                 \
  template void Case##number<PICK>(Tensors);

struct Tensors {
  LocalTensor<float> f;
  LocalTensor<half> h;
  LocalTensor<bfloat16_t> b;
  LocalTensor<int8_t> i8;
  LocalTensor<uint8_t> u8;
  LocalTensor<int16_t> i16;
  LocalTensor<int32_t> i32;
  LocalTensor<uint32_t> u32;
  LocalTensor<int64_t> i64;
};
template <int pick, typename T>
T& On(T& value) {
  return value;
}
#define T(member) On<pick>(t).member

// clang-format off
CASE(1, Add(T(b), T(b), T(b), 16))  // expect: Ascend C: Add does not support this dtype; it takes half, float, int16_t, int32_t
CASE(2, Add(T(i64), T(i64), T(i64), 16))  // expect: Ascend C: Add does not support this dtype
CASE(3, Div(T(i32), T(i32), T(i32), 16))  // expect: Ascend C: Div does not support this dtype; it takes half, float
CASE(4, Exp(T(i32), T(i32), 16))  // expect: Ascend C: Exp does not support this dtype
CASE(5, Not(T(i32), T(i32), 16))  // expect: Ascend C: Not does not support this dtype; it takes int16_t, uint16_t
CASE(6, Or(T(i32), T(i32), T(i32), 64, 1, BinaryRepeatParams()))  // expect: Ascend C: Or does not support this dtype; it takes int16_t, uint16_t
CASE(7, Cast(T(b), T(h), RoundMode::CAST_RINT, 16))  // expect: Ascend C: Cast does not support this pair (dst, src)
CASE(8, Cast(T(i8), T(f), RoundMode::CAST_RINT, 16))  // expect: Ascend C: Cast does not support this pair (dst, src)
CASE(9, Duplicate(T(i8), int8_t(1), 16))  // expect: Ascend C: Duplicate does not support this dtype
CASE(10, Compare(T(u8), T(i16), T(i16), CMPMODE::EQ, 128))  // expect: Ascend C: Compare does not support this dtype
CASE(11, Select(T(i32), T(u8), T(i32), T(i32), SELMODE::VSEL_TENSOR_TENSOR_MODE, 64))  // expect: Ascend C: Select does not support this dtype; it takes half, float
CASE(12, ReduceSum(T(i32), T(i32), T(i32), 64))  // expect: Ascend C: ReduceSum does not support this dtype
CASE(13, (BlockReduceMax<int32_t>(T(i32), T(i32), 1, 64, 1, 1, 8)))  // expect: Ascend C: BlockReduceMax does not support this dtype
CASE(14, Axpy(T(h), T(f), 1.0f, 16))  // expect: Ascend C: Axpy does not support this dtype; it takes (dst, src) half/half
CASE(15, Muls(T(b), T(b), bfloat16_t(1.0f), 16))  // expect: Ascend C: Muls does not support this dtype
CASE(16, ShiftLeft(T(f), T(f), 1.0f, 16))  // expect: Ascend C: ShiftLeft does not support this dtype
CASE(17, Scatter(T(f), T(f), T(u32), 0u, 16u))  // expect: Ascend C: Scatter does not exist on this chip generation (2201)
CASE(18, Neg(T(f), T(f), 16))  // expect: Ascend C: Neg does not exist on this chip generation (2201); use Muls with -1
CASE(19, Sort32(T(i32), T(i32), T(u32), 1))  // expect: Ascend C: Sort32 does not support this dtype
CASE(20, Sin(T(i32), T(i32), 16u))  // expect: Ascend C: Sin does not support this dtype; it takes half, float
CASE(21, Transpose(T(f), T(f)))  // expect: Ascend C: Transpose does not support this dtype
CASE(22, uint64_t n = 0; GatherMask(T(f), T(f), T(i16), false, 0, GatherMaskParams(), n))  // expect: Ascend C: GatherMask with a pattern tensor does not support this dtype
CASE(23, (ReducePairElem<ReduceType::MAX>(T(f), T(f), 64, 1, 1, 1, 8)))  // expect: Ascend C: ReducePairElem takes ReduceType::SUM only
CASE(24, uint32_t s[1] = {8}; (Broadcast<int64_t, 1, 0>(T(i64), T(i64), s, s)))  // expect: Ascend C: Broadcast does not support this dtype
CASE(25, Muls(T(f), T(f), 2, 16))  // expect: no matching function for call to 'Muls'
CASE(26, Exp(T(f), T(h), 16))  // expect: no matching function for call to 'Exp'
CASE(27, Subs(T(f), T(f), 1.0f, 16))  // expect: Ascend C: Subs does not exist on this chip generation (2201); use Adds with the negated scalar
CASE(28, Interleave(T(f), T(f), T(f), T(f), 16))  // expect: Ascend C: Interleave does not exist on this chip generation (2201)
CASE(29, BitwiseAnd(T(i32), T(i32), T(i32), 16))  // expect: Ascend C: BitwiseAnd does not exist on this chip generation (2201); use And, Or, Xor and Not of 16 bits
