// racecheck: happens-before between the pipes of a core, and in Global Memory between blocks too.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/check/mem_check.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

class RaceCheck {
 public:
  RaceCheck(const Checks& on, const Now& now, SharedNow& shared, Pipes& pipes, Reporter& out,
            MemCheck& mem)
      : on_(on), now_(now), shared_(shared), pipes_(pipes), out_(out), mem_(mem) {}
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
  // An access to a writable region, against earlier ones of this and other blocks. `data`: what a
  // write brings (to tell harmless double writes of equal bytes from real ones), or null. `atomic`,
  // of a read: a look at what another block may be writing.
  void OnGmAccess(Region& r, const Access& a, bool atomic, const uint8_t* data) {
    if (a.bytes && r.writable() && (on_.race || on_.memory || on_.init))
      OrderGm(r, a, atomic, data);
  }
  // The block looks whether another one has written these bytes yet: what their last writers had
  // done before is over.
  void OnLook(const Region& r, const Access& a);
  // Is what is copied in from here waited for so?
  bool Polled(const void* at) const {
    return !shared_.polled.empty() && shared_.polled.contains(at);
  }
  // A copy has brought bytes that another block writes, in the size of flags, with nothing ordering
  // the two. It may be the first of those with which the block waits for them: once for each place
  // it gets what was there before, as the chip may give it. A block that waits copies again.
  void GiveBefore(const Region& r, const Access& a, uint8_t* brought);
  // An instruction begins, given plain pointers or not; and its results are there.
  void OnInstruction(bool raw) {
    if (raw) raw_epochs_.push_back(now_.epoch);
  }
  void OnInstructionDone() {
    if (!pending_.empty()) Settle();
  }
  BlockOrder& blocks() { return blocks_; }

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
  void OrderGm(Region& r, const Access& a, bool atomic, const uint8_t* data);
  void Publish(Region& r, const Region::Visit& now);
  // Blocks that write the same bytes, each for itself, do each other no harm.
  static bool ChangesNothing(const Region& r, const Access& a, size_t cell, const uint8_t* data);
  // This block's own write of the bytes that another one has written alike since; nullptr: there is
  // none.
  static const Region::Visit* WroteTheSame(const Region& r, const Region::Visit& now, size_t cell);
  void NoteAlike(Region& r, const Region::Visit& now, const Access& a, const uint8_t* data);
  void SharedLines(Region& r, const Region::Visit& now);
  bool HandedOver(const Region::Visit& visit) const;
  bool GmOrdered(const Region::Visit& visit, bool written, uint32_t pipe);
  // `perhaps`: unless what is read turns out to be polled.
  void ReportGm(const Region& r, const Access& a, const Region::Visit& prior, bool prior_write,
                size_t cell, bool perhaps = false);
  // May the one be a copy with which a block waits for what the other writes?
  static bool MayWaitFor(const Region::Visit& read, const Region::Visit& write);
  // Was the instruction of this epoch given plain pointers?
  bool WasRaw(uint32_t epoch) const {
    return std::binary_search(raw_epochs_.begin(), raw_epochs_.end(), epoch);
  }

  const Checks& on_;
  const Now& now_;
  SharedNow& shared_;
  Pipes& pipes_;
  Reporter& out_;
  MemCheck& mem_;
  BlockOrder blocks_;
  std::vector<Pending> pending_;
  std::vector<size_t> early_;         // cells of the latest access that it may be too early for
  std::vector<uint32_t> raw_epochs_;  // of instructions given plain pointers, rising
};

}  // namespace akgen::sim
