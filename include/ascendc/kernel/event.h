// HardEvent to pipes.
#ifndef ASCENDC_KERNEL_EVENT_H
#define ASCENDC_KERNEL_EVENT_H
#include "kernel/enums.h"

namespace AscendC {
struct AkgenEventPipes {
  uint8_t src;
  uint8_t dst;
};
constexpr AkgenEventPipes kAkgenEventPipes[] = {
#define AKGEN_HARD_EVENT(src, dst) {PIPE_##src, PIPE_##dst},
#include "akgen/hard_events.inc"
#undef AKGEN_HARD_EVENT
};
constexpr uint32_t AkgenSrcPipe(HardEvent evt) {
  return kAkgenEventPipes[static_cast<int>(evt)].src;
}
constexpr uint32_t AkgenDstPipe(HardEvent evt) {
  return kAkgenEventPipes[static_cast<int>(evt)].dst;
}
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_EVENT_H
