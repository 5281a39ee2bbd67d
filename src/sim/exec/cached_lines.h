// Which lines of Global Memory the scalar unit's data cache holds, for what an access costs. What
// stands in them is CacheCheck's concern.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace akgen::sim {

class CachedLines {
 public:
  static constexpr uintptr_t kLine = 64;  // bytes, as documented
  // Empty, with room for so many bytes.
  void Begin(double bytes) {
    ring_.assign(static_cast<size_t>(bytes) / kLine, kNone);
    held_.clear();
    next_ = 0;
  }
  bool none() const { return ring_.empty(); }
  // Not of an empty cache. How many lines of an access were not there; they are from now on. What
  // came first goes first, so that the result does not depend on where memory lies.
  uint32_t Bring(const void* address, uint64_t bytes) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address) / kLine;
    const uintptr_t end = (reinterpret_cast<uintptr_t>(address) + bytes + kLine - 1) / kLine;
    uint32_t fresh = 0;
    for (uintptr_t line = first; line < end; ++line) fresh += Take(line);
    return fresh;
  }
  void Drop(const void* address) { held_.erase(reinterpret_cast<uintptr_t>(address) / kLine); }
  void DropAll() { held_.clear(); }

 private:
  static constexpr uintptr_t kNone = UINTPTR_MAX;
  bool Take(uintptr_t line) {
    if (!held_.insert(line).second) return false;
    held_.erase(ring_[next_]);
    ring_[next_] = line;
    next_ = (next_ + 1) % ring_.size();
    return true;
  }
  std::vector<uintptr_t>
      ring_;  // a line that was dropped and came again stands there twice: it goes early
  std::unordered_set<uintptr_t> held_;
  size_t next_ = 0;
};

}  // namespace akgen::sim
