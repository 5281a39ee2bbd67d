#ifndef AKGEN_C_API_MISC_H
#define AKGEN_C_API_MISC_H
#include "c_api/detail.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

// Puts the core into its documented starting state.
__aicore__ inline void asc_init() { AscendC::InitSocState(); }

#pragma clang attribute pop
#include "c_api/ub_arrays.h"
#endif  // AKGEN_C_API_MISC_H
