// GroupBarrier: a group of vector cores waits until all of another group have arrived.
#ifndef ASCENDC_KERNEL_GROUP_BARRIER_H
#define ASCENDC_KERNEL_GROUP_BARRIER_H
#include "kernel/sync.h"
#include "kernel/system.h"

namespace AscendC {
enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

// groupWorkspace: 512 bytes of GM per waiting core, zero before the launch. Each slot counts
// arrivals; a core that has waited takes its arrivals off, so a barrier may be used again.
template <PipeMode pipeMode>
class GroupBarrier {
  static_assert(pipeMode == PipeMode::MTE3_MODE, "Ascend C: GroupBarrier supports MTE3_MODE only");

 public:
  __aicore__ GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
      : base_(groupWorkspace), arrivals_(arriveSizeIn), waiters_(waitSizeIn) {
    if (reinterpret_cast<uint64_t>(groupWorkspace) % kSlotBytes)
      akgen_broken_rule("GroupBarrier: the workspace starts at a multiple of 512 bytes");
  }
  // arriveIndex: this core's number in the arriving group.
  __aicore__ void Arrive(uint32_t arriveIndex) {
    NeedRoom();
    if (arriveIndex >= arrivals_)
      akgen_broken_rule("Arrive: the index is below the size of the group");
    akgen_pipe_barrier(AKGEN_PIPE_ALL);
    for (uint32_t i = 0; i < waiters_; ++i)
      WriteGmByPassDCache(Slot(i), ReadGmByPassDCache(Slot(i)) + 1);
  }
  // waitIndex: this core's number in the waiting group.
  __aicore__ void Wait(uint32_t waitIndex) {
    NeedRoom();
    if (waitIndex >= waiters_) akgen_broken_rule("Wait: the index is below the size of the group");
    __gm__ uint32_t* slot = Slot(waitIndex);
    uint32_t arrived = 0;
    while ((arrived = ReadGmByPassDCache(slot)) < arrivals_) {}
    WriteGmByPassDCache(slot, arrived - arrivals_);
  }
  __aicore__ uint64_t GetWorkspaceLen() { return static_cast<uint64_t>(waiters_) * kSlotBytes; }

 private:
  static constexpr uint32_t kSlotBytes = 512;
  static constexpr uint32_t kTaken = 1600;  // at the end of UB
  static void NeedRoom() {
    if (akgen_buf_free_bytes() < kTaken)
      akgen_broken_rule("GroupBarrier: takes the last 1600 bytes of UB");
  }
  __aicore__ __gm__ uint32_t* Slot(uint32_t index) {
    return reinterpret_cast<__gm__ uint32_t*>(base_ + index * kSlotBytes);
  }
  GM_ADDR base_;
  uint32_t arrivals_, waiters_;
};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_GROUP_BARRIER_H
