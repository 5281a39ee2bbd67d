#ifndef AKGEN_C_API_SYS_VAR_H
#define AKGEN_C_API_SYS_VAR_H
#include "c_api/detail.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

__aicore__ inline int64_t asc_get_block_num() { return akgen_block_num(); }
__aicore__ inline int64_t asc_get_block_idx() { return akgen_block_idx(); }
__aicore__ inline int64_t asc_get_sub_block_id() { return akgen_sub_block_idx(); }
__aicore__ inline int64_t asc_get_sub_block_num() { return akgen_sub_block_num(); }
__aicore__ inline void asc_set_ctrl(uint64_t config) { akgen_set_ctrl(config); }
__aicore__ inline int64_t asc_get_ctrl() { return static_cast<int64_t>(akgen_get_ctrl()); }
__aicore__ inline int64_t asc_get_system_cycle() {
  return static_cast<int64_t>(akgen_system_cycle());
}
// Of the Unified Buffer. Not beside arrays declared there, which start at offset 0 too.
__aicore__ inline uint64_t asc_get_phy_buf_addr(uint64_t offset) {
  return reinterpret_cast<uint64_t>(akgen_ub_base()) + offset;
}

#pragma clang attribute pop
#include "c_api/ub_arrays.h"
#endif  // AKGEN_C_API_SYS_VAR_H
