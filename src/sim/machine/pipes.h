// The pipes of a core.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "akgen/abi.h"

namespace akgen::sim {

inline constexpr int kPipes = AKGEN_PIPE_COUNT;
// The scalar unit through a plain pointer: one unit with AKGEN_PIPE_S, but the compiler's automatic
// synchronisation sees only what goes through a tensor, so the two are known to other pipes on
// different grounds.
inline constexpr uint32_t kRawScalar = kPipes;
inline constexpr int kClockSlots = kPipes + 1;

struct PipeList {
  static constexpr uint32_t kLimit = 5;
  constexpr PipeList() = default;
  constexpr PipeList(std::initializer_list<uint32_t> pipes) {
    for (uint32_t pipe : pipes) at[count++] = uint8_t(pipe);
  }
  uint8_t count = 0, at[kLimit] = {};
};

const char* PipeName(uint32_t pipe);  // kRawScalar too

}  // namespace akgen::sim
