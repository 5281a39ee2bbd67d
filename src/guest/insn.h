// A decoded instruction, and what its code works on. Dispatch is direct: each instruction holds the
// address of the function that executes it, and that function ends with a jump to the next one's.
#pragma once
#include <cstdint>
#include <cstring>

#include "guest/layout.h"
#include "guest/stop.h"

namespace akgen::guest {

struct State;
struct Insn;
// `fuel`: instructions it may still execute. Looked at where control goes somewhere else: what lies
// between two such places is bounded by the length of the code.
using Handler = Stop (*)(const Insn* at, State* s, uint64_t* x, int64_t fuel);
// One instruction and no more, as a part of a handler. False: it cannot be executed, and the state
// says why.
using Step = bool (*)(const Insn* at, State* s, uint64_t* x, int64_t fuel);

struct Insn {
  Handler run;
  int32_t imm;
  uint8_t rd, rs1, rs2, rs3;
};
static_assert(sizeof(Insn) == 16);

// Registers by number. What is written to x0 goes to a slot that is never read.
inline constexpr uint8_t kDiscard = 32, kFloat0 = 33;
inline constexpr int kRegisters = 65;

class Outside;

struct State {
  uint64_t x[kRegisters] = {};
  // The guest's memory: constants, and stack and variables in one piece. `*_size` in bytes.
  const uint8_t* constants = nullptr;
  uint64_t constants_size = 0;
  uint8_t* writable = nullptr;
  uint64_t writable_base = 0, writable_size = 0;
  const Insn *code = nullptr,
             *end = nullptr;  // *end is an instruction that says that the code has ended
  uint64_t imports = 0;
  Outside* outside = nullptr;
  // Where it stands while it does not run, or while it reaches outside.
  const Insn* at = nullptr;
  int64_t fuel = 0;
  uint64_t call = kMaxImports;  // number of the import it is calling; kMaxImports: none
  Fault fault;
  uint64_t left_at = 0,
           left_for = 0;  // what translated code says when it returns (guest/translation.h)

  uint8_t* Writable(uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - writable_base;
    return offset < writable_size && bytes <= writable_size - offset ? writable + offset : nullptr;
  }
  // The same for a few bytes, in one comparison: stack and variables are never smaller than that.
  // False: elsewhere.
  template <uint64_t kBytes>
  bool Own(uint64_t address, uint8_t** out) {
    static_assert(kBytes <= kStackBytes);
    const uint64_t offset = address - writable_base;
    *out = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(writable) + offset);
    return offset <= writable_size - kBytes;
  }
  const uint8_t* Readable(uint64_t address, uint64_t bytes);
  // Beyond its own memory; nullptr after noting the fault.
  uint8_t* Reach(const Insn* now, int64_t left, uint64_t address, uint64_t bytes, bool write);

  uint64_t Address(const Insn* i) const { return kCodeBase + uint64_t(i - code) * 4; }
  const Insn* Find(uint64_t target) const {
    const uint64_t slot = (target - kCodeBase) / 4;
    return target % 4 == 0 && slot < uint64_t(end - code) ? code + slot : nullptr;
  }
  // Why a jump from `now` does not simply go on: no fuel for `to`, or no code there.
  Stop Leave(const Insn* now, int64_t left, const Insn* to, uint64_t target);
  Stop StopHere(const Insn* now, int64_t left, Stop why) {
    at = now;
    fuel = left;
    return why;
  }
  Stop Fails(const Insn* now, int64_t left, Fault::Kind kind, uint64_t address) {
    fault = {kind, address, 0};
    return StopHere(now, left, Stop::kFault);
  }
};

#define AKGEN_GUEST_NEXT(n) [[clang::musttail]] return at[n].run(at + (n), s, x, fuel - (n))

template <Step kStep>
[[gnu::noinline]] Stop Then(const Insn* at, State* s, uint64_t* x, int64_t fuel) {
  if (!kStep(at, s, x, fuel)) return Stop::kFault;
  AKGEN_GUEST_NEXT(1);
}

// Continues at an address, as an indirect jump does. For the end of a handler.
#define AKGEN_GUEST_JUMP(target)                               \
  const Insn* to = s->Find(target);                            \
  if (!to || fuel <= 0) return s->Leave(at, fuel, to, target); \
  [[clang::musttail]] return to->run(to, s, x, fuel)

}  // namespace akgen::guest
