// What the cores of a launch know of each other's accesses to Global Memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "sim/machine/shadow.h"

namespace akgen::sim {

// Of some blocks, of each of their pipes: the epoch up to which its accesses are known to be over.
class BlockClock {
 public:
  // Everything before this generation of the launch is over, whoever did it.
  uint32_t all = 0;

  bool Knows(uint32_t block, uint32_t pipe, uint32_t epoch) const {
    const auto it = Find(block);
    return it != of_.end() && it->first == block && epoch <= it->second.at[pipe];
  }
  // What is over of one block; null: nothing that is known.
  const Clock* DoneBy(uint32_t block) const {
    const auto it = Find(block);
    return it != of_.end() && it->first == block ? &it->second : nullptr;
  }
  void Join(uint32_t block, const Clock& done) {
    auto it = Find(block);
    if (it == of_.end() || it->first != block) it = of_.insert(it, {block, Clock{}});
    it->second.Join(done);
  }
  void Join(const BlockClock& other) {
    all = std::max(all, other.all);
    for (const auto& [block, done] : other.of_) Join(block, done);
  }

 private:
  using Of = std::vector<std::pair<uint32_t, Clock>>;  // by block, rising
  Of::const_iterator Find(uint32_t block) const {
    return std::lower_bound(of_.begin(), of_.end(), block,
                            [](const auto& e, uint32_t b) { return e.first < b; });
  }
  Of::iterator Find(uint32_t block) {
    return of_.begin() + (std::as_const(*this).Find(block) - of_.cbegin());
  }
  Of of_;
};

// Sets of a flag that nobody has waited for: each hands over what was done when it came, and no
// more.
class FlagSets {
 public:
  uint32_t count() const { return count_; }
  void Add(const BlockClock& done) {
    ++count_;
    if (clocks_.size() < kLimit)
      clocks_.push_back(done);
    else
      clocks_.back().Join(done);
  }
  BlockClock Take() {
    BlockClock oldest = clocks_.front();
    if (--count_ < clocks_.size()) clocks_.pop_front();
    return oldest;
  }

 private:
  static constexpr size_t kLimit = 32;  // more than any counter holds
  uint32_t count_ = 0;
  std::deque<BlockClock> clocks_;
};

}  // namespace akgen::sim
