// What a core is doing at the moment, and what the cores of a launch share: for ordering and
// reports.
#pragma once
#include <cstdint>
#include <unordered_set>

#include "sim/machine/block_order.h"
#include "sim/machine/data_cache.h"
#include "sim/machine/shadow.h"

namespace akgen::sim {

struct Now {
  uint32_t block = 0;
  uint32_t pipe = 0,
           site = 0;  // of the instruction being executed; place as in the launch's SiteTable
  uint64_t number =
      0;  // of its call into the chip, in program order; the scalar unit's is that of the last call
  uint64_t calls = 0;            // number of the latest call
  uint32_t epoch = 0, born = 0;  // instructions executed so far; when this block began
};

// Of a launch.
struct SharedNow {
  uint32_t generation = 0;  // of accesses: rises where a block takes all earlier ones to be over
  bool read_unwritten = false;  // a copy brought bytes of Global Memory that nobody wrote
  bool exchanged =
      false;  // a block met what another one had written, or wrote what another had read
  // Where copies begin that blocks repeat until they find what others write there: what they wait
  // for orders them.
  std::unordered_set<const void*> polled;
  // Of those that may be such copies: where one was given what was there before an unordered write.
  std::unordered_set<const void*> given_before;
  DataCaches caches;
};

// Which accesses of other blocks a block knows to be over.
class BlockOrder {
 public:
  void Reset() { *this = BlockOrder(); }
  bool Knows(uint32_t block, uint32_t pipe, uint32_t epoch, uint32_t generation) const {
    return generation < seen_.all || seen_.Knows(block, pipe, epoch);
  }
  void SeeAll(uint32_t generation) { seen_.all = generation; }
  void Acquire(const BlockClock& clock) { seen_.Join(clock); }
  // What whoever waits for `block` now may know, of which `done` is over.
  BlockClock Release(uint32_t block, const Clock& done) const {
    BlockClock clock = seen_;
    clock.Join(block, done);
    return clock;
  }

 private:
  BlockClock seen_;
};

}  // namespace akgen::sim
