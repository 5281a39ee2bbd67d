// Synchronisation inside a core and across cores.
#ifndef ASCENDC_KERNEL_SYNC_H
#define ASCENDC_KERNEL_SYNC_H
#include "kernel/event.h"
#include "kernel/tensor.h"

namespace AscendC {
template <HardEvent event>
__aicore__ inline void SetFlag(int32_t eventID) {
  akgen_set_flag(AkgenSrcPipe(event), AkgenDstPipe(event), eventID);
}
template <HardEvent event>
__aicore__ inline void WaitFlag(int32_t eventID) {
  akgen_wait_flag(AkgenSrcPipe(event), AkgenDstPipe(event), eventID);
}
template <pipe_t pipe>
__aicore__ inline void PipeBarrier() {
  static_assert(pipe != PIPE_S,
                "Ascend C: PipeBarrier does not take PIPE_S, scalar order is kept by hardware");
  akgen_pipe_barrier(pipe);
}
template <MemDsbT arg0>
__aicore__ inline void DataSyncBarrier() {
  akgen_data_sync_barrier(static_cast<uint32_t>(arg0));
}

template <pipe_t src, pipe_t dst>
class TQueSync {
 public:
  __aicore__ void SetFlag(TEventID id) { akgen_set_flag(src, dst, id); }
  __aicore__ void WaitFlag(TEventID id) { akgen_wait_flag(src, dst, id); }
};

// modeId 0: all cores of a kind, 1: the vector cores of one AI Core, 2: the cube core and its
// vector cores.
template <uint8_t modeId, pipe_t pipe>
__aicore__ inline void CrossCoreSetFlag(uint16_t flagId) {
  static_assert(modeId <= 2, "Ascend C: CrossCoreSetFlag needs mode 0, 1 or 2 on this chip");
  static_assert(pipe != PIPE_S && pipe != PIPE_ALL,
                "Ascend C: CrossCoreSetFlag does not take PIPE_S or PIPE_ALL");
  akgen_cross_set(modeId, pipe, flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
__aicore__ inline void CrossCoreWaitFlag(uint16_t flagId) {
  akgen_cross_wait(flagId);
}

// Older names of the same, between the cores of one AI Core.
template <pipe_t pipe>
__aicore__ inline void NotifyEvent(uint16_t flagId) {
  CrossCoreSetFlag<2, pipe>(flagId);
}
template <pipe_t pipe = PIPE_S>
__aicore__ inline void WaitEvent(uint16_t flagId) {
  CrossCoreWaitFlag<0, pipe>(flagId);
}

template <bool isAIVOnly = true>
__aicore__ inline void SyncAll() {
  akgen_sync_all(isAIVOnly);
}
// Software form: gmWorkspace and ubWorkspace hold 32 bytes per core; usedCores 0 means all.
template <bool isAIVOnly = true>
__aicore__ inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace,
                               const LocalTensor<int32_t>& ubWorkspace,
                               const int32_t usedCores = 0) {
  akgen_sync_all_soft(gmWorkspace.AkgenPtr(), ubWorkspace.AkgenPtr(), usedCores);
}
template <bool isAIVOnly = true>
__aicore__ inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace,
                             const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                             int32_t eventID) {
  akgen_ib_set(gmWorkspace.AkgenPtr(), ubWorkspace.AkgenPtr(), blockIdx, eventID);
}
template <bool isAIVOnly = true>
__aicore__ inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace,
                              const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                              int32_t eventID) {
  akgen_ib_wait(gmWorkspace.AkgenPtr(), ubWorkspace.AkgenPtr(), blockIdx, eventID);
}

__aicore__ inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace,
                                                     LocalTensor<int32_t>& ubWorkspace) {
  akgen_det_init(gmWorkspace.AkgenPtr(), ubWorkspace.AkgenPtr());
}
__aicore__ inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace,
                                    LocalTensor<int32_t>& ubWorkspace) {
  akgen_det_wait(gmWorkspace.AkgenPtr(), ubWorkspace.AkgenPtr());
}
__aicore__ inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace,
                                       LocalTensor<int32_t>& ubWorkspace) {
  akgen_det_notify(gmWorkspace.AkgenPtr(), ubWorkspace.AkgenPtr());
}

// Where the flags between cores lie: the chip has its own place for them.
__aicore__ inline void SetSyncBaseAddr(uint64_t) {}

// They order this kernel against its neighbours in a fused launch; a kernel that runs alone has no
// neighbour.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
__aicore__ inline void SetNextTaskStart() {}
template <bool FORCE = false>
__aicore__ inline void WaitPreTaskEnd() {}
}  // namespace AscendC

// The lower-case forms of the device language.
__aicore__ inline void set_flag(pipe_t src, pipe_t dst, event_t id) {
  akgen_set_flag(src, dst, id);
}
__aicore__ inline void wait_flag(pipe_t src, pipe_t dst, event_t id) {
  akgen_wait_flag(src, dst, id);
}
__aicore__ inline void set_flag(pipe_t src, pipe_t dst, int32_t id) {
  akgen_set_flag(src, dst, id);
}
__aicore__ inline void wait_flag(pipe_t src, pipe_t dst, int32_t id) {
  akgen_wait_flag(src, dst, id);
}
__aicore__ inline void pipe_barrier(pipe_t pipe) { akgen_pipe_barrier(pipe); }
#endif  // ASCENDC_KERNEL_SYNC_H
