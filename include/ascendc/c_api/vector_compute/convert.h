// Conversions: asc_<from>2<to>, with the suffix of a rounding mode where it takes one.
#ifndef AKGEN_C_API_CONVERT_H
#define AKGEN_C_API_CONVERT_H
#include "c_api/vector_compute/forms.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

#define AKGEN_C_CAST_AS(name, D, S, Mode)      \
  AKGEN_C_UNARY_AS(name, Cast, D, S, uint16_t, \
                   v.round_mode = static_cast<uint8_t>(AscendC::RoundMode::Mode))
// Without a rounding mode; with the five.
#define AKGEN_C_CAST(name, D, S) AKGEN_C_CAST_AS(name, D, S, CAST_NONE)
#define AKGEN_C_CASTS(name, D, S)               \
  AKGEN_C_CAST_AS(name##_rn, D, S, CAST_RINT)   \
  AKGEN_C_CAST_AS(name##_rna, D, S, CAST_ROUND) \
  AKGEN_C_CAST_AS(name##_rd, D, S, CAST_FLOOR)  \
  AKGEN_C_CAST_AS(name##_ru, D, S, CAST_CEIL)   \
  AKGEN_C_CAST_AS(name##_rz, D, S, CAST_TRUNC)

AKGEN_C_CAST(asc_half2float, float, half)
AKGEN_C_CAST(asc_bfloat162float, float, bfloat16_t)
AKGEN_C_CAST(asc_int162float, float, int16_t)
AKGEN_C_CAST(asc_int82half, half, int8_t)
AKGEN_C_CAST(asc_uint82half, half, uint8_t)
AKGEN_C_CAST(asc_int322int16, int16_t, int32_t)
AKGEN_C_CAST(asc_int322int64, int64_t, int32_t)
AKGEN_C_CAST(asc_int642int32, int32_t, int64_t)
AKGEN_C_UNARY_AS(asc_int42half, Cast, half, AscendC::int4b_t, uint8_t, )

AKGEN_C_CASTS(asc_bfloat162int32, int32_t, bfloat16_t)
AKGEN_C_CASTS(asc_float2bfloat16, bfloat16_t, float)
AKGEN_C_CASTS(asc_float2float, float, float)
AKGEN_C_CASTS(asc_float2int16, int16_t, float)
AKGEN_C_CASTS(asc_float2int32, int32_t, float)
AKGEN_C_CASTS(asc_float2int64, int64_t, float)
AKGEN_C_CASTS(asc_half2int16, int16_t, half)
AKGEN_C_CASTS(asc_half2int32, int32_t, half)
AKGEN_C_CASTS(asc_int642float, float, int64_t)

AKGEN_C_CAST(asc_float2half, half, float)
AKGEN_C_CASTS(asc_float2half, half, float)
AKGEN_C_CAST_AS(asc_float2half_ro, half, float, CAST_ODD)
AKGEN_C_CAST(asc_half2int8, int8_t, half)
AKGEN_C_CASTS(asc_half2int8, int8_t, half)
AKGEN_C_CAST(asc_half2uint8, uint8_t, half)
AKGEN_C_CASTS(asc_half2uint8, uint8_t, half)
AKGEN_C_CAST(asc_half2int4, AscendC::int4b_t, half)
AKGEN_C_CASTS(asc_half2int4, AscendC::int4b_t, half)
AKGEN_C_CAST(asc_int162half, half, int16_t)
AKGEN_C_CASTS(asc_int162half, half, int16_t)
AKGEN_C_CAST(asc_int322float, float, int32_t)
AKGEN_C_CASTS(asc_int322float, float, int32_t)
#undef AKGEN_C_CASTS
#undef AKGEN_C_CAST
#undef AKGEN_C_CAST_AS

// With the scale that asc_set_deq_scale left. _h: into the upper half of each DataBlock, _l: into
// the lower one.
__aicore__ inline void asc_set_deq_scale(half scale) {
  akgen_set_deq_scale(static_cast<float>(scale), 0, 0);
}
__aicore__ inline void asc_set_deq_scale(float scale, int16_t offset, bool sign_mode) {
  akgen_set_deq_scale(scale, offset, sign_mode);
}
constexpr int ASC_VDEQ_SIZE = 16;
__aicore__ inline void asc_set_deq_scale(uint64_t*, float[ASC_VDEQ_SIZE], int16_t[ASC_VDEQ_SIZE],
                                         bool[ASC_VDEQ_SIZE]) {
  akgen_unsupported("asc_set_deq_scale with vectors of parameters");
}
AKGEN_C_UNARY_AS(asc_deq_int322half, Cast, half, int32_t, uint8_t, v.round_mode = 1)
AKGEN_C_UNARY_AS(asc_deq_int162b8_h, CastDeq, int8_t, int16_t, uint8_t, v.mode = 1)
AKGEN_C_UNARY_AS(asc_deq_int162b8_h, CastDeq, uint8_t, int16_t, uint8_t, v.mode = 1)
AKGEN_C_UNARY_AS(asc_deq_int162b8_l, CastDeq, int8_t, int16_t, uint8_t, )
AKGEN_C_UNARY_AS(asc_deq_int162b8_l, CastDeq, uint8_t, int16_t, uint8_t, )

#pragma clang attribute pop
#endif  // AKGEN_C_API_CONVERT_H
