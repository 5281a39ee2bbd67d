// Conversions by the C-API and by the C++ API: the same bits.
// launch: blocks=1 args=in:f32[256]
// expect: clean
// guest: a function of more than 10,000 instructions has no canonical form; what each compiler made of it is counted, a thousandth apart
#include "same.h"

__aicore__ inline void Lower(AscendC::LocalTensor<int8_t> dst, AscendC::LocalTensor<int16_t> src) {
  AscendC::CastDequant<int8_t, int16_t, true, false, false>(dst, src, g_all, 2, kUnary);
}

extern "C" __global__ __vector__ void kernel(__gm__ float *x) {
  OPERANDS(x);
  CAST(float, asc_half2float, h, CAST_NONE);
  CAST(half, asc_float2half, f, CAST_NONE);
  CASTS(half, asc_float2half, f);
  CAST(half, asc_float2half_ro, f, CAST_ODD);
  CASTS(bfloat16_t, asc_float2bfloat16, f);
  CASTS(float, asc_float2float, f);
  CASTS(int16_t, asc_float2int16, f);
  CASTS(int32_t, asc_float2int32, f);
  CASTS(int64_t, asc_float2int64, f);
  CASTS(int16_t, asc_half2int16, h);
  CASTS(int32_t, asc_half2int32, h);
  CAST(int8_t, asc_half2int8, h, CAST_NONE);
  CASTS(int8_t, asc_half2int8, h);
  CAST(uint8_t, asc_half2uint8, k, CAST_NONE);
  CASTS(uint8_t, asc_half2uint8, k);
  CAST(float, asc_int162float, s, CAST_NONE);
  CAST(half, asc_int162half, s, CAST_NONE);
  CASTS(half, asc_int162half, s);
  CAST(float, asc_int322float, i, CAST_NONE);
  CASTS(float, asc_int322float, i);
  CAST(int16_t, asc_int322int16, i, CAST_NONE);
  CAST(int64_t, asc_int322int64, i, CAST_NONE);
  __ubuf__ bfloat16_t b[kElements];
  __ubuf__ int64_t l[kElements];
  __ubuf__ int8_t c[kElements * 2];
  __ubuf__ uint8_t d[kElements * 2];
  asc_float2bfloat16_rn_sync(b, f, kElements);
  asc_int322int64_sync(l, i, kElements);
  for (int part = 0; part < 2; ++part) {
    asc_half2int8_sync(c + part * kElements, h, kElements);
    asc_half2uint8_sync(d + part * kElements, k, kElements);
  }
  CAST(float, asc_bfloat162float, b, CAST_NONE);
  CASTS(int32_t, asc_bfloat162int32, b);
  CAST(int32_t, asc_int642int32, l, CAST_NONE);
  CASTS(float, asc_int642float, l);
  CAST(half, asc_int82half, c, CAST_NONE);
  CAST(half, asc_uint82half, d, CAST_NONE);
  SAME(half, (asc_set_deq_scale(half(0.5f)), asc_deq_int322half(dst, i, 200)),
       Cast(dst, Of(i), AscendC::RoundMode::CAST_RINT, 200));
  asc_set_deq_scale(0.5f, 2, true);
  SAME(int8_t, (asc_duplicate_sync((uint16_t *)dst, 0, 128), asc_deq_int162b8_l(dst, s, 2, 1, 1, 8, 8)),
       Duplicate(dst.ReinterpretCast<uint16_t>(), uint16_t(0), 128); Lower(dst, Of(s)));
}
