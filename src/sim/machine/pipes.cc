#include "sim/machine/pipes.h"

namespace akgen::sim {

const char* PipeName(uint32_t pipe) {
  static constexpr const char* kNames[kClockSlots] = {
#define AKGEN_PIPE_ROW(name) "PIPE_" #name,
#include "akgen/pipes.inc"
#undef AKGEN_PIPE_ROW
      "PIPE_S"};
  return pipe < kClockSlots ? kNames[pipe] : "PIPE_?";
}

}  // namespace akgen::sim
