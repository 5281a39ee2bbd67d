// Bits of numbers, on the scalar unit.
#ifndef AKGEN_C_API_SCALAR_COMPUTE_H
#define AKGEN_C_API_SCALAR_COMPUTE_H
#include "c_api/detail.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

__aicore__ inline int64_t asc_clz(uint64_t value_in) { return AscendC::CountLeadingZero(value_in); }
__aicore__ inline int64_t asc_ffs(uint64_t value) { return AscendC::GetSFFValue<1>(value); }
__aicore__ inline int64_t asc_ffz(uint64_t value) { return AscendC::GetSFFValue<0>(value); }
__aicore__ inline int64_t asc_popc(uint64_t value) { return AscendC::GetBitCount<1>(value); }
__aicore__ inline int64_t asc_zero_bits_cnt(uint64_t value) {
  return AscendC::GetBitCount<0>(value);
}
__aicore__ inline int64_t asc_sflbits(int64_t value) {
  return AscendC::CountBitsCntSameAsSignBit(value);
}
// An index outside of 0 to 63 counts modulo 64.
__aicore__ inline uint64_t asc_set_nthbit(uint64_t bits, int64_t idx) {
  return bits | uint64_t(1) << (idx & 63);
}
__aicore__ inline uint64_t asc_clear_nthbit(uint64_t bits, int64_t idx) {
  return bits & ~(uint64_t(1) << (idx & 63));
}

#pragma clang attribute pop
#include "c_api/ub_arrays.h"
#endif  // AKGEN_C_API_SCALAR_COMPUTE_H
