#ifndef AKGEN_C_API_CACHE_CTRL_H
#define AKGEN_C_API_CACHE_CTRL_H
#include "c_api/detail.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

#define AKGEN_DCCI(address, line, which)                               \
  akgen_dcci(address, static_cast<uint32_t>(AscendC::CacheLine::line), \
             static_cast<uint32_t>(AscendC::DcciDst::which))
__aicore__ inline void asc_dcci_single(__gm__ void* dst) {
  AKGEN_DCCI(dst, SINGLE_CACHE_LINE, CACHELINE_OUT);
}
__aicore__ inline void asc_ub_dcci_single(__ubuf__ void* dst) {
  AKGEN_DCCI(dst, SINGLE_CACHE_LINE, CACHELINE_UB);
}
__aicore__ inline void asc_dcci_entire_all() {
  AKGEN_DCCI(nullptr, ENTIRE_DATA_CACHE, CACHELINE_ALL);
}
__aicore__ inline void asc_dcci_entire_ub() {
  AKGEN_DCCI(nullptr, ENTIRE_DATA_CACHE, CACHELINE_UB);
}
__aicore__ inline void asc_dcci_entire_out() {
  AKGEN_DCCI(nullptr, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}
__aicore__ inline void asc_dcci_entire_atomic() {
  AKGEN_DCCI(nullptr, ENTIRE_DATA_CACHE, CACHELINE_ATOMIC);
}
#undef AKGEN_DCCI

// Preloads change no result.
__aicore__ inline void asc_datacache_preload(__gm__ uint64_t*, int64_t) {}
__aicore__ inline void asc_icache_preload(const void*, int64_t) {}
__aicore__ inline int64_t asc_get_icache_preload_status() { return 0; }

#pragma clang attribute pop
#include "c_api/ub_arrays.h"
#endif  // AKGEN_C_API_CACHE_CTRL_H
