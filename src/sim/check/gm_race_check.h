// racecheck in Global Memory: of one block on different pipes, and of different blocks.
#pragma once
#include <vector>

#include "sim/check/mem_check.h"
#include "sim/check/race_check.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

class GmRaceCheck {
 public:
  GmRaceCheck(const Checks& on, const Now& now, SharedNow& shared, Pipes& pipes, Reporter& out,
              MemCheck& mem, const RawInstructions& raw)
      : on_(on), now_(now), shared_(shared), pipes_(pipes), out_(out), mem_(mem), raw_(raw) {}
  void Reset() { blocks_.Reset(); }

  // An access to a writable region, against earlier ones of this and other blocks. `data`: what a
  // write brings (to tell harmless double writes of equal bytes from real ones), or null. `atomic`,
  // of a read: a look at what another block may be writing.
  void OnAccess(Region& r, const Access& a, bool atomic, const uint8_t* data) {
    if (a.bytes && r.writable() && (on_.race || on_.memory || on_.init)) Order(r, a, atomic, data);
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
  BlockOrder& blocks() { return blocks_; }

 private:
  void Order(Region& r, const Access& a, bool atomic, const uint8_t* data);
  void Publish(Region& r, const Region::Visit& now);
  // Blocks that write the same bytes, each for itself, do each other no harm.
  static bool ChangesNothing(const Region& r, const Access& a, size_t cell, const uint8_t* data);
  // This block's own write of the bytes that another one has written alike since; nullptr: there is
  // none.
  static const Region::Visit* WroteTheSame(const Region& r, const Region::Visit& now, size_t cell);
  void NoteAlike(Region& r, const Region::Visit& now, const Access& a, const uint8_t* data);
  void SharedLines(Region& r, const Region::Visit& now);
  bool HandedOver(const Region::Visit& visit) const;
  bool Ordered(const Region::Visit& visit, bool written, uint32_t pipe);
  // `perhaps`: unless what is read turns out to be polled.
  void Report(const Region& r, const Access& a, const Region::Visit& prior, bool prior_write,
              size_t cell, bool perhaps = false);
  // May the one be a copy with which a block waits for what the other writes?
  static bool MayWaitFor(const Region::Visit& read, const Region::Visit& write);

  const Checks& on_;
  const Now& now_;
  SharedNow& shared_;
  Pipes& pipes_;
  Reporter& out_;
  MemCheck& mem_;
  const RawInstructions& raw_;
  BlockOrder blocks_;
  std::vector<size_t> early_;  // cells of the latest access that it may be too early for
};

}  // namespace akgen::sim
