// What later copies to Global Memory do there.
#ifndef AKGEN_C_API_ATOMIC_H
#define AKGEN_C_API_ATOMIC_H
#include "c_api/detail.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

#define AKGEN_C_ATOMIC(suffix, dtype)                                                  \
  __aicore__ inline void asc_set_atomic_add_##suffix() { akgen_set_atomic(1, dtype); } \
  __aicore__ inline void asc_set_atomic_max_##suffix() { akgen_set_atomic(2, dtype); } \
  __aicore__ inline void asc_set_atomic_min_##suffix() { akgen_set_atomic(3, dtype); }
AKGEN_C_ATOMIC(int8, AKGEN_I8)
AKGEN_C_ATOMIC(int16, AKGEN_I16)
AKGEN_C_ATOMIC(int, AKGEN_I32)
AKGEN_C_ATOMIC(bfloat, AKGEN_BF16)
AKGEN_C_ATOMIC(float16, AKGEN_F16)
AKGEN_C_ATOMIC(float, AKGEN_F32)
#undef AKGEN_C_ATOMIC
__aicore__ inline void asc_set_atomic_none() { AscendC::DisableDmaAtomic(); }

// type: 0 none, 1 float, 2 half, 3 int16_t, 4 int32_t, 5 int8_t, 6 bfloat16_t; op: 0 sum.
__aicore__ inline void asc_set_store_atomic_config_v1(uint16_t type, uint16_t op) {
  constexpr uint8_t kDtypes[] = {AKGEN_NO_DTYPE, AKGEN_F32, AKGEN_F16, AKGEN_I16,
                                 AKGEN_I32,      AKGEN_I8,  AKGEN_BF16};
  if (type > 6 || op != 0)
    return akgen_broken_rule("asc_set_store_atomic_config_v1: type is 0 to 6, op is 0");
  akgen_set_atomic(type != 0, kDtypes[type]);
}

#pragma clang attribute pop
#include "c_api/ub_arrays.h"
#endif  // AKGEN_C_API_ATOMIC_H
