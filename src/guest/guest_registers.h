// Where translated code keeps what it works on. Registers that unoptimised code uses most have one
// of this processor's; the others, and those of floats, are in the state's array. rax, rcx and rdx
// belong to the instruction at hand.
#pragma once
#include <array>
#include <cstddef>

#include "guest/emitter.h"
#include "guest/insn.h"

namespace akgen::guest {

inline constexpr Reg kState = Reg::rbp;  // plus kBias, so that most distances are short
inline constexpr Reg kOwn = Reg::rbx;    // the guest's stack and variables
inline constexpr Reg kFuel = Reg::r15;
inline constexpr int32_t kBias = 128;
inline constexpr Reg kNoRegister = Reg::rsp;
inline constexpr std::array<Reg, 32> kPinned = [] {
  std::array<Reg, 32> all;
  all.fill(kNoRegister);
  all[1] = Reg::r12;  // ra
  all[2] = Reg::r13;  // sp
  all[8] = Reg::r14;  // s0, the frame pointer
  constexpr Reg kArguments[] = {Reg::rsi, Reg::rdi, Reg::r8, Reg::r9, Reg::r10, Reg::r11};
  for (size_t i = 0; i < std::size(kArguments); ++i) all[10 + i] = kArguments[i];
  return all;
}();

inline Memory InState(size_t offset) { return {kState, int32_t(offset) - kBias}; }
// Of a register by its number in State::x.
inline Memory Slot(uint8_t x) { return InState(offsetof(State, x) + size_t(x) * sizeof(uint64_t)); }

}  // namespace akgen::guest
