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
    {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2}, {PIPE_MTE1, PIPE_M}, {PIPE_M, PIPE_MTE1},
    {PIPE_MTE2, PIPE_V},    {PIPE_V, PIPE_MTE2},    {PIPE_MTE3, PIPE_V}, {PIPE_V, PIPE_MTE3},
    {PIPE_M, PIPE_V},       {PIPE_V, PIPE_M},       {PIPE_V, PIPE_V},    {PIPE_MTE3, PIPE_MTE1},
    {PIPE_MTE1, PIPE_MTE3}, {PIPE_MTE1, PIPE_V},    {PIPE_MTE2, PIPE_M}, {PIPE_M, PIPE_MTE2},
    {PIPE_V, PIPE_MTE1},    {PIPE_M, PIPE_FIX},     {PIPE_FIX, PIPE_M},  {PIPE_MTE3, PIPE_MTE2},
    {PIPE_MTE2, PIPE_MTE3}, {PIPE_S, PIPE_V},       {PIPE_V, PIPE_S},    {PIPE_S, PIPE_MTE2},
    {PIPE_MTE2, PIPE_S},    {PIPE_S, PIPE_MTE3},    {PIPE_MTE3, PIPE_S}, {PIPE_MTE2, PIPE_FIX},
    {PIPE_FIX, PIPE_MTE2},  {PIPE_FIX, PIPE_S},     {PIPE_M, PIPE_S},    {PIPE_FIX, PIPE_MTE3},
    {PIPE_MTE1, PIPE_FIX},  {PIPE_FIX, PIPE_MTE1},  {PIPE_FIX, PIPE_FIX}};
static_assert(sizeof(kAkgenEventPipes) / sizeof(AkgenEventPipes) == static_cast<int>(HardEvent::MAX),
              "one row per HardEvent");
constexpr uint32_t AkgenSrcPipe(HardEvent evt) { return kAkgenEventPipes[static_cast<int>(evt)].src; }
constexpr uint32_t AkgenDstPipe(HardEvent evt) { return kAkgenEventPipes[static_cast<int>(evt)].dst; }
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_EVENT_H
