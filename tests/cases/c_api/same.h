// Runs an operation by both APIs over the same operands and asserts that the results have the same bits.
#include "c_api/asc_simd.h"

constexpr uint32_t kElements = 256;

// The same memory as the C++ API sees it.
template <typename T>
__aicore__ inline AscendC::LocalTensor<T> Of(__ubuf__ T *p) {
  return AscendC::LocalTensor<T>(AscendC::TPosition::VECCALC, uint32_t(uint64_t(p) - asc_get_phy_buf_addr(0)), kElements);
}
inline const AscendC::UnaryRepeatParams kUnary(1, 1, 8, 8);
inline const AscendC::BinaryRepeatParams kBinary(1, 1, 1, 8, 8, 8);
inline uint64_t g_all[2] = {~0ULL, ~0ULL};
inline uint64_t g_some[2] = {0x0f0f33335555ffffULL, 0x00ff00ff12345678ULL};

template <typename D, typename CApi, typename Cpp>
__aicore__ inline void Same(__ubuf__ uint16_t *got, __ubuf__ uint16_t *want, CApi by_pointers, Cpp by_tensors) {
  constexpr uint32_t words = sizeof(D) * kElements / 2;
  asc_sync();  // with the comparison before this one
  asc_duplicate_sync(got, 0x3c00, words);
  asc_duplicate_sync(want, 0x3c00, words);
  by_pointers((__ubuf__ D *)got);
  asc_sync();
  by_tensors(Of((__ubuf__ D *)want));
  asc_sync();
  for (uint32_t i = 0; i < words; ++i) assert(got[i] == want[i]);
}

// Under a mask in bits, by both.
#define MASKED(call) asc_set_vector_mask(g_some[1], g_some[0]); call
#define BY_POINTERS(D, call) [&](D *dst) { call; }
#define BY_TENSORS(D, call) [&](AscendC::LocalTensor<D> dst) { call; }
#define SAME(D, c_call, cpp_call) Same<D>(got, want, BY_POINTERS(D, c_call), BY_TENSORS(D, AscendC::cpp_call))

// All forms of an operation with one source, with two, with a source and a scalar.
#define UNARY(T, name, Name, x)                                              \
  SAME(T, name(dst, x, 200), Name(dst, Of(x), 200));                         \
  SAME(T, name##_sync(dst, x, 77), Name(dst, Of(x), 77));                    \
  SAME(T, MASKED(name(dst, x, 2, 1, 1, 8, 8)), Name(dst, Of(x), g_some, 2, kUnary))
#define BINARY(T, name, Name, x, y)                                                      \
  SAME(T, name(dst, x, y, 200), Name(dst, Of(x), Of(y), 200));                           \
  SAME(T, name##_sync(dst, x, y, 77), Name(dst, Of(x), Of(y), 77));                      \
  SAME(T, MASKED(name(dst, x, y, 2, 1, 1, 1, 8, 8, 8)), Name(dst, Of(x), Of(y), g_some, 2, kBinary))
#define SCALAR(T, name, Name, x, value)                                                      \
  SAME(T, name(dst, x, value, 200), Name(dst, Of(x), T(value), 200));                        \
  SAME(T, name##_sync(dst, x, value, 77), Name(dst, Of(x), T(value), 77));                   \
  SAME(T, MASKED(name(dst, x, value, 2, 1, 1, 8, 8)), Name(dst, Of(x), T(value), g_some, 2, kUnary))
#define CAST(D, name, x, mode)                                                                            \
  SAME(D, name(dst, x, 200), Cast(dst, Of(x), AscendC::RoundMode::mode, 200));                            \
  SAME(D, name##_sync(dst, x, 76), Cast(dst, Of(x), AscendC::RoundMode::mode, 76));                       \
  SAME(D, (asc_set_vector_mask(0, 0xffffffff), name(dst, x, 2, 1, 1, 4, 8)),                              \
       Cast(dst, Of(x), AscendC::RoundMode::mode, 32, 2, AscendC::UnaryRepeatParams(1, 1, 4, 8)))
#define CASTS(D, name, x)             \
  CAST(D, name##_rn, x, CAST_RINT);   \
  CAST(D, name##_rna, x, CAST_ROUND); \
  CAST(D, name##_rd, x, CAST_FLOOR);  \
  CAST(D, name##_ru, x, CAST_CEIL);   \
  CAST(D, name##_rz, x, CAST_TRUNC)

// Operands of all dtypes, made of one of floats.
#define OPERANDS(gm)                                                              \
  asc_init();                                                                     \
  __ubuf__ uint16_t got[kElements * 4];                                            \
  __ubuf__ uint16_t want[kElements * 4];                                           \
  __ubuf__ float f[kElements];                                                    \
  __ubuf__ float g[kElements];                                                    \
  __ubuf__ half h[kElements];                                                     \
  __ubuf__ half k[kElements];                                                     \
  __ubuf__ int16_t s[kElements];                                                  \
  __ubuf__ int16_t t[kElements];                                                  \
  __ubuf__ int32_t i[kElements];                                                  \
  __ubuf__ int32_t j[kElements];                                                  \
  asc_copy_gm2ub_sync(f, gm, sizeof(f));                                          \
  asc_mul_scalar_sync(f, f, 40.0f, kElements);                                    \
  asc_add_scalar_sync(g, f, 3.5f, kElements);                                     \
  asc_float2half_sync(h, f, kElements);                                           \
  asc_float2half_sync(k, g, kElements);                                           \
  asc_half2int16_rn_sync(s, h, kElements);                                        \
  asc_half2int16_rd_sync(t, k, kElements);                                        \
  asc_half2int32_rn_sync(i, h, kElements);                                        \
  asc_half2int32_rd_sync(j, k, kElements);                                        \
  auto us = (__ubuf__ uint16_t *)s, ut = (__ubuf__ uint16_t *)t;                  \
  auto ui = (__ubuf__ uint32_t *)i, uj = (__ubuf__ uint32_t *)j;                  \
  (void)g, (void)k, (void)us, (void)ut, (void)ui, (void)uj
