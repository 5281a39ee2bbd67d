// The instructions that come in the usual forms: rows of akgen/vec_ops.inc declare them.
#ifndef AKGEN_KERNEL_VEC_DECLARED_H
#define AKGEN_KERNEL_VEC_DECLARED_H
#include "kernel/vec_binary.h"
#include "kernel/vec_scalar.h"
#include "kernel/vec_unary.h"

namespace AscendC {
#define AKGEN_DECLARE_own(Name, rule)
#define AKGEN_DECLARE_unary(Name, rule) AKGEN_UNARY(Name, rule)
#define AKGEN_DECLARE_binary(Name, rule) AKGEN_BINARY(Name, Name, rule)
#define AKGEN_DECLARE_bitwise(Name, rule) AKGEN_BITWISE(Name, rule)
#define AKGEN_DECLARE_scalar(Name, rule) AKGEN_SCALAR(Name, (), (), 0, rule)
#define AKGEN_DECLARE_math(Name, rule)
#define AKGEN_DECLARE_math_count(Name, rule)
#define AKGEN_DECLARE_math_log(Name, rule)
#define AKGEN_DECLARE_math2(Name, rule)
#define AKGEN_DECLARE_bitwise2(CONSTANT) AKGEN_DECLARE_own
#define AKGEN_VEC_OP(Name, family, api, types, columns) AKGEN_DECLARE_##api(Name, AKGEN_TEXT types)
#include "akgen/vec_ops.inc"
#undef AKGEN_DECLARE_own
#undef AKGEN_DECLARE_unary
#undef AKGEN_DECLARE_binary
#undef AKGEN_DECLARE_bitwise
#undef AKGEN_DECLARE_scalar
#undef AKGEN_DECLARE_math
#undef AKGEN_DECLARE_math_count
#undef AKGEN_DECLARE_math_log
#undef AKGEN_DECLARE_math2
#undef AKGEN_DECLARE_bitwise2

#undef AKGEN_UNARY
#undef AKGEN_BINARY
#undef AKGEN_BINARY_SLICED
#undef AKGEN_BITWISE
#undef AKGEN_SCALAR
#undef AKGEN_SCALAR_SLICED
#undef AKGEN_SCALAR_COUNT
#undef AKGEN_SCALAR_UNPACK
#undef AKGEN_SCALAR_HEAD_T
#undef AKGEN_SCALAR_HEAD_TU
}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_DECLARED_H
