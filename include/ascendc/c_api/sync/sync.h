// Synchronisation inside a core.
#ifndef AKGEN_C_API_SYNC_H
#define AKGEN_C_API_SYNC_H
#include "c_api/detail.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

enum mem_dsb_t : uint32_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ };

__aicore__ inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, event_t id) {
  akgen_set_flag(pipe, tpipe, id);
}
__aicore__ inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, event_t id) {
  akgen_wait_flag(pipe, tpipe, id);
}
__aicore__ inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, int32_t id) {
  akgen_set_flag(pipe, tpipe, id);
}
__aicore__ inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, int32_t id) {
  akgen_wait_flag(pipe, tpipe, id);
}
__aicore__ inline void asc_sync_pipe(pipe_t pipe) {
  if (pipe == PIPE_S)
    return akgen_broken_rule("asc_sync_pipe does not take PIPE_S: the hardware keeps scalar order");
  akgen_pipe_barrier(pipe);
}
__aicore__ inline void asc_sync() { AscendC::akgen_impl::AwaitAll(); }
__aicore__ inline void asc_sync_vec() { AscendC::akgen_impl::AwaitAll(); }
// The scalar unit waits, and with it what it issues later.
__aicore__ inline void asc_sync_mte2(int id) {
  akgen_set_flag(PIPE_MTE2, PIPE_S, id);
  akgen_wait_flag(PIPE_MTE2, PIPE_S, id);
}
__aicore__ inline void asc_sync_mte3(int id) {
  akgen_set_flag(PIPE_MTE3, PIPE_S, id);
  akgen_wait_flag(PIPE_MTE3, PIPE_S, id);
}
__aicore__ inline void asc_sync_data_barrier(mem_dsb_t arg) {
  akgen_data_sync_barrier(static_cast<uint32_t>(arg));
}

#pragma clang attribute pop
#include "c_api/ub_arrays.h"
#endif  // AKGEN_C_API_SYNC_H
