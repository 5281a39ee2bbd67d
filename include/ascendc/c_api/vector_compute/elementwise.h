// Arithmetic, logic and shifts, element by element.
#ifndef AKGEN_C_API_ELEMENTWISE_H
#define AKGEN_C_API_ELEMENTWISE_H
#include "c_api/vector_compute/forms.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

#define AKGEN_C_FLOATS(M, ...) M(__VA_ARGS__, half) M(__VA_ARGS__, float)
#define AKGEN_C_NUMBERS(M, ...) \
  AKGEN_C_FLOATS(M, __VA_ARGS__) M(__VA_ARGS__, int16_t) M(__VA_ARGS__, int32_t)
#define AKGEN_C_WORDS(M, ...) M(__VA_ARGS__, int16_t) M(__VA_ARGS__, uint16_t)

AKGEN_C_FLOATS(AKGEN_C_UNARY, asc_abs, Abs)
AKGEN_C_FLOATS(AKGEN_C_UNARY, asc_exp, Exp)
AKGEN_C_FLOATS(AKGEN_C_UNARY, asc_log, Ln)
AKGEN_C_FLOATS(AKGEN_C_UNARY, asc_rcp, Reciprocal)
AKGEN_C_FLOATS(AKGEN_C_UNARY, asc_rsqrt, Rsqrt)
AKGEN_C_FLOATS(AKGEN_C_UNARY, asc_sqrt, Sqrt)
AKGEN_C_FLOATS(AKGEN_C_UNARY, asc_relu, Relu)
AKGEN_C_UNARY(asc_relu, Relu, int32_t)
AKGEN_C_WORDS(AKGEN_C_UNARY, asc_not, Not)

AKGEN_C_NUMBERS(AKGEN_C_BINARY, asc_add, Add)
AKGEN_C_NUMBERS(AKGEN_C_BINARY, asc_sub, Sub)
AKGEN_C_NUMBERS(AKGEN_C_BINARY, asc_mul, Mul)
AKGEN_C_NUMBERS(AKGEN_C_BINARY, asc_max, Max)
AKGEN_C_NUMBERS(AKGEN_C_BINARY, asc_min, Min)
AKGEN_C_FLOATS(AKGEN_C_BINARY, asc_div, Div)
AKGEN_C_WORDS(AKGEN_C_BINARY, asc_and, And)
AKGEN_C_WORDS(AKGEN_C_BINARY, asc_or, Or)

// max(src0 + src1, 0) and max(src0 - src1, 0), also into a narrower dst.
#define AKGEN_C_WITH_RELU(name, Op)                  \
  AKGEN_C_FLOATS(AKGEN_C_BINARY, name, Op)           \
  AKGEN_C_BINARY(name, Op, int16_t)                  \
  AKGEN_C_BINARY_AS(name, Op##Cast, int8_t, int16_t) \
  AKGEN_C_BINARY_AS(name, Op##Cast, half, float)     \
  AKGEN_C_BINARY_AS(name, Op##Cast, int8_t, half)
AKGEN_C_WITH_RELU(asc_add_relu, AddRelu)
AKGEN_C_WITH_RELU(asc_sub_relu, SubRelu)
#undef AKGEN_C_WITH_RELU
AKGEN_C_BINARY_AS(asc_mul_cast_half2int8, MulCast, int8_t, half)
AKGEN_C_BINARY_AS(asc_mul_cast_half2uint8, MulCast, uint8_t, half)

// src0 * src1 + dst; src0 * dst + src1; the same, at least 0.
AKGEN_C_FLOATS(AKGEN_C_BINARY, asc_fma, MulAddDst)
AKGEN_C_BINARY_AS(asc_fma, MulAddDst, float, half)
AKGEN_C_FLOATS(AKGEN_C_BINARY, asc_mul_add, FusedMulAdd)
AKGEN_C_FLOATS(AKGEN_C_BINARY, asc_mul_add_relu, FusedMulAddRelu)

#define AKGEN_C_WITH_VALUE(name, Op, T) AKGEN_C_SCALAR(name, Op, T, value)
#define AKGEN_C_WITH_NEGATED(name, Op, T) AKGEN_C_SCALAR(name, Op, T, -value)
AKGEN_C_NUMBERS(AKGEN_C_WITH_VALUE, asc_add_scalar, Adds)
AKGEN_C_NUMBERS(AKGEN_C_WITH_NEGATED, asc_sub_scalar, Adds)
AKGEN_C_NUMBERS(AKGEN_C_WITH_VALUE, asc_mul_scalar, Muls)
AKGEN_C_NUMBERS(AKGEN_C_WITH_VALUE, asc_max_scalar, Maxs)
AKGEN_C_NUMBERS(AKGEN_C_WITH_VALUE, asc_min_scalar, Mins)
AKGEN_C_FLOATS(AKGEN_C_WITH_VALUE, asc_leakyrelu, LeakyRelu)
#undef AKGEN_C_WITH_VALUE
#undef AKGEN_C_WITH_NEGATED

// src * value + dst.
AKGEN_C_SCALAR_AS(asc_axpy, Axpy, half, half, half, value, 0)
AKGEN_C_SCALAR_AS(asc_axpy, Axpy, float, half, half, value, 0)
AKGEN_C_SCALAR_AS(asc_axpy, Axpy, float, float, float, value, 0)

#define AKGEN_C_SHIFT(T, Value)                                         \
  AKGEN_C_SCALAR_AS(asc_shiftleft, ShiftLeft, T, T, uint32_t, value, 0) \
  AKGEN_C_SCALAR_AS(asc_shiftright, ShiftRight, T, T, Value, value, 0)
AKGEN_C_SHIFT(int16_t, int32_t)
AKGEN_C_SHIFT(uint16_t, uint32_t)
AKGEN_C_SHIFT(int32_t, int32_t)
AKGEN_C_SHIFT(uint32_t, uint32_t)
#undef AKGEN_C_SHIFT
AKGEN_C_SCALAR_AS(asc_shiftright_round, ShiftRight, int16_t, int16_t, int32_t, value, 1)
AKGEN_C_SCALAR_AS(asc_shiftright_round, ShiftRight, int32_t, int32_t, int32_t, value, 1)

#define AKGEN_C_DUPLICATE(T)                                                                     \
  __aicore__ inline void asc_duplicate(T* dst, T src, uint32_t count) {                          \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Duplicate, dst, (const T*)nullptr);        \
    v.scalar = AscendC::AkgenBits(src);                                                          \
    AscendC::akgen_impl::RunCounted(v, count);                                                   \
  }                                                                                              \
  __aicore__ inline void asc_duplicate(T* dst, T src, uint8_t repeat, uint16_t dst_block_stride, \
                                       uint16_t dst_repeat_stride) {                             \
    AkgenVec v = AscendC::akgen_impl::RawVec(AKGEN_OP_Duplicate, dst, (const T*)nullptr);        \
    v.scalar = AscendC::AkgenBits(src);                                                          \
    AscendC::akgen_impl::Strides(v, repeat, dst_block_stride, 0, 0, dst_repeat_stride, 0, 0);    \
    akgen_vec(&v);                                                                               \
  }                                                                                              \
  __aicore__ inline void asc_duplicate_sync(T* dst, T src, uint32_t count)                       \
      AKGEN_C_SYNC(asc_duplicate(dst, src, count))
AKGEN_C_DUPLICATE(half)
AKGEN_C_DUPLICATE(bfloat16_t)
AKGEN_C_DUPLICATE(int16_t)
AKGEN_C_DUPLICATE(uint16_t)
AKGEN_C_DUPLICATE(int32_t)
AKGEN_C_DUPLICATE(uint32_t)
AKGEN_C_DUPLICATE(float)
#undef AKGEN_C_DUPLICATE

#pragma clang attribute pop
#endif  // AKGEN_C_API_ELEMENTWISE_H
