// What a core is doing at the moment, and what the cores of a launch share: for ordering and reports.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/machine/data_cache.h"
#include "sim/machine/shadow.h"

namespace akgen::sim {

struct Now {
  uint32_t block = 0;
  uint32_t pipe = 0, site = 0;  // of the instruction being executed; place as in the launch's SiteTable
  uint64_t number = 0;  // of its call into the chip, in program order; the scalar unit's is that of the last call
  uint64_t calls = 0;   // number of the latest call
  uint32_t epoch = 0, born = 0;  // instructions executed so far; when this block began
};

// What a block had done when it set a cross-core flag: of each of its pipes the epochs that the flag's pipe knew.
struct Handover {
  uint32_t generation = 0;
  Clock done;
};

// Of a launch.
struct SharedNow {
  uint32_t generation = 0;      // completed cross-core synchronisations
  bool read_unwritten = false;  // a copy brought bytes of Global Memory that nobody wrote
  bool exchanged = false;       // a block met what another one had written, or wrote what another had read
  DataCaches caches;
  std::vector<std::vector<Handover>> handovers;  // by block, rising; empty: flags hand over all that a block has done
};

// Which accesses of other blocks a block knows to be over: those before generation SeenOf(block).
class BlockOrder {
 public:
  void Reset() { *this = BlockOrder(); }
  uint32_t SeenOf(uint32_t block) const { return std::max(all_, block < seen_.size() ? seen_[block] : 0); }
  void SeeAll(uint32_t generation) { all_ = generation; }
  void Acquire(const BlockClock& clock) { Join(seen_, clock); }
  // What whoever waits for `block` now may know. Its later accesses count as later.
  BlockClock Release(uint32_t block, SharedNow& shared) const {
    BlockClock clock(std::max<size_t>(seen_.size(), block + 1u), all_);
    for (size_t i = 0; i < seen_.size(); ++i) clock[i] = SeenOf(uint32_t(i));
    clock[block] = ++shared.generation;
    return clock;
  }
  static void Join(BlockClock& into, const BlockClock& clock) {
    if (into.size() < clock.size()) into.resize(clock.size(), 0);
    for (size_t i = 0; i < clock.size(); ++i) into[i] = std::max(into[i], clock[i]);
  }

 private:
  BlockClock seen_;
  uint32_t all_ = 0;
};

}  // namespace akgen::sim
