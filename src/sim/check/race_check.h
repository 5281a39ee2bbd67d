// racecheck: happens-before between the pipes of a core (in Global Memory: gm_race_check.h).
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/check/mem_check.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

// Which instructions of a block were given plain pointers, which the compiler does not order.
class RawInstructions {
 public:
  void Reset() { epochs_.clear(); }
  void Note(uint32_t epoch) { epochs_.push_back(epoch); }
  bool Was(uint32_t epoch) const {
    return std::binary_search(epochs_.begin(), epochs_.end(), epoch);
  }

 private:
  std::vector<uint32_t> epochs_;  // rising
};

class RaceCheck {
 public:
  RaceCheck(const Checks& on, const Now& now, Pipes& pipes, Reporter& out)
      : on_(on), now_(now), pipes_(pipes), out_(out) {}
  void Reset();
  bool on() const { return on_.race; }
  // Does the compiler order what tensors are given to?
  bool auto_sync() const { return on_.auto_sync; }

  // An access of a pipe other than the scalar unit, allowed before.
  void OnAccess(Memory& m, const Access& a) {
    if (on_.race && a.bytes) Order(m, a);
  }
  // An access of the scalar unit. Through tensors on both sides the compiler orders it after the
  // instruction it conflicts with: `after` says which, and the access is to be announced again once
  // that is known to be over.
  enum class Scalar : uint8_t { kOrdered, kWaits, kRaces };
  Scalar OnScalarAccess(Memory& m, const Access& a, Conflict* after);
  // An instruction begins, given plain pointers or not; and its results are there.
  void OnInstruction(bool raw) {
    if (raw) raw_.Note(now_.epoch);
  }
  void OnInstructionDone() {
    if (!pending_.empty()) Settle();
  }
  const RawInstructions& raw() const { return raw_; }

 private:
  // A write in conflict, judged when its instruction is done: are the bytes others than before?
  struct Pending {
    Memory* memory = nullptr;
    Conflict conflict;
    std::vector<ByteRange> contested;
    Access access{};
    std::vector<uint8_t> before;  // the bytes it was to write
  };
  void Order(Memory& m, const Access& a);
  void Settle();
  void Report(const Memory& m, const Conflict& c, const Access& a, bool same);
  const Checks& on_;
  const Now& now_;
  Pipes& pipes_;
  Reporter& out_;
  std::vector<Pending> pending_;
  RawInstructions raw_;
};

}  // namespace akgen::sim
