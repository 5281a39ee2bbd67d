// Arithmetic by the C-API and by the C++ API: the same bits.
// launch: blocks=1 args=in:f32[256]
// expect: clean
// guest: a function of more than 10,000 instructions has no canonical form; what each compiler made of it is counted, a thousandth apart
#include "same.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x) {
  OPERANDS(x);
  UNARY(float, asc_abs, Abs, f);
  UNARY(half, asc_abs, Abs, h);
  UNARY(float, asc_exp, Exp, f);
  UNARY(half, asc_exp, Exp, h);
  UNARY(float, asc_log, Ln, f);
  UNARY(half, asc_log, Ln, h);
  UNARY(float, asc_rcp, Reciprocal, g);
  UNARY(half, asc_rcp, Reciprocal, k);
  UNARY(float, asc_rsqrt, Rsqrt, f);
  UNARY(half, asc_rsqrt, Rsqrt, h);
  UNARY(float, asc_sqrt, Sqrt, f);
  UNARY(half, asc_sqrt, Sqrt, h);
  UNARY(float, asc_relu, Relu, f);
  UNARY(half, asc_relu, Relu, h);
  UNARY(int32_t, asc_relu, Relu, i);
  UNARY(int16_t, asc_not, Not, s);
  UNARY(uint16_t, asc_not, Not, us);
  BINARY(float, asc_add, Add, f, g);
  BINARY(half, asc_add, Add, h, k);
  BINARY(int16_t, asc_add, Add, s, t);
  BINARY(int32_t, asc_add, Add, i, j);
  BINARY(float, asc_sub, Sub, f, g);
  BINARY(int16_t, asc_sub, Sub, s, t);
  BINARY(float, asc_mul, Mul, f, g);
  BINARY(int32_t, asc_mul, Mul, i, j);
  BINARY(float, asc_div, Div, f, g);
  BINARY(half, asc_div, Div, h, k);
  BINARY(float, asc_max, Max, f, g);
  BINARY(int16_t, asc_max, Max, s, t);
  BINARY(half, asc_min, Min, h, k);
  BINARY(int32_t, asc_min, Min, i, j);
  BINARY(int16_t, asc_and, And, s, t);
  BINARY(uint16_t, asc_or, Or, us, ut);
  BINARY(float, asc_add_relu, AddRelu, f, g);
  BINARY(int16_t, asc_sub_relu, SubRelu, s, t);
  BINARY(float, asc_mul_add, FusedMulAdd, f, g);
  BINARY(half, asc_mul_add_relu, FusedMulAddRelu, h, k);
  BINARY(float, asc_fma, MulAddDst, f, g);
  BINARY(half, asc_fma, MulAddDst, h, k);
  BINARY(float, asc_fma, MulAddDst, h, k);
  BINARY(int8_t, asc_add_relu, AddReluCast, s, t);
  BINARY(half, asc_add_relu, AddReluCast, f, g);
  BINARY(int8_t, asc_sub_relu, SubReluCast, h, k);
  BINARY(int8_t, asc_mul_cast_half2int8, MulCast, h, k);
  BINARY(uint8_t, asc_mul_cast_half2uint8, MulCast, h, k);
  SCALAR(float, asc_add_scalar, Adds, f, 2.5f);
  SCALAR(int32_t, asc_add_scalar, Adds, i, -7);
  SCALAR(half, asc_mul_scalar, Muls, h, 0.5f);
  SCALAR(int16_t, asc_mul_scalar, Muls, s, 3);
  SCALAR(float, asc_max_scalar, Maxs, f, 1.0f);
  SCALAR(int16_t, asc_min_scalar, Mins, s, 5);
  SCALAR(float, asc_leakyrelu, LeakyRelu, f, 0.25f);
  SCALAR(half, asc_leakyrelu, LeakyRelu, h, 0.25f);
  SCALAR(float, asc_axpy, Axpy, f, 2.0f);
  SCALAR(half, asc_axpy, Axpy, h, 2.0f);
  SCALAR(int16_t, asc_shiftleft, ShiftLeft, s, 3);
  SCALAR(uint32_t, asc_shiftleft, ShiftLeft, ui, 3);
  SCALAR(int32_t, asc_shiftright, ShiftRight, i, 2);
  SCALAR(uint16_t, asc_shiftright, ShiftRight, us, 2);
  SAME(float, asc_axpy(dst, h, half(2), 200), Axpy(dst, Of(h), half(2), 200));
  SAME(float, asc_sub_scalar(dst, f, 1.5f, 200), Adds(dst, Of(f), -1.5f, 200));
  SAME(int16_t, MASKED(asc_sub_scalar(dst, s, 9, 2, 1, 1, 8, 8)), Adds(dst, Of(s), int16_t(-9), g_some, 2, kUnary));
  SAME(int32_t, MASKED(asc_shiftright_round(dst, i, 2, 2, 1, 1, 8, 8)),
       ShiftRight(dst, Of(i), 2, g_some, 2, kUnary, true));
  SAME(half, asc_duplicate(dst, 1.5f, 200), Duplicate(dst, half(1.5f), 200));
  SAME(int32_t, MASKED(asc_duplicate(dst, 7, 2, 1, 8)), Duplicate(dst, int32_t(7), g_some, 2, 1, 8));
}
