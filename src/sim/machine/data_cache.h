// The data caches of the scalar units: one a core, of lines of 64 bytes of Global Memory.
//
// What the scalar unit stores stays in its core's line until that is cleaned or the block ends;
// what it loads stays as it was when the line came in. Copies do not look there. Kept is what
// differs between the lines and Global Memory, not their bytes: the simulated Global Memory always
// has the newest.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/machine/global_memory.h"

namespace akgen::sim {

inline constexpr size_t kLineBytes = 64;

// Bytes of a line, a bit each: `bytes` from `from` on, cut off at its end.
constexpr uint64_t BytesOfLine(size_t from, size_t bytes) {
  const uint64_t all = bytes >= kLineBytes ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
  return all << from;
}

// A line in one core's cache.
struct CachedLine {
  struct Writer {
    uint32_t site = 0, pipe = 0;
    int block = -1;
  };
  uint32_t block = 0;
  uint64_t dirty = 0;   // stored here, and nowhere else yet
  uint64_t behind = 0;  // written elsewhere since the line came in, or since it was stored to here
  Writer stored, elsewhere;  // the latest of each
};

// Of all cores of a launch.
class DataCaches {
 public:
  bool empty() const { return lines_.empty(); }
  void Clear() { lines_.clear(); }
  // The cores that hold a line, or nullptr.
  std::vector<CachedLine>* Find(const Region& r, size_t line) {
    auto it = lines_.find(Key(r, line));
    return it == lines_.end() ? nullptr : &it->second;
  }
  // A core's own, which comes in if it is not there.
  CachedLine& Load(const Region& r, size_t line, uint32_t block) {
    std::vector<CachedLine>& holders = lines_[Key(r, line)];
    for (CachedLine& l : holders)
      if (l.block == block) return l;
    holders.emplace_back().block = block;
    return holders.back();
  }
  // Drops a core's line.
  void Drop(const Region& r, size_t line, uint32_t block);
  // Of one core: regions' serial numbers and lines, in order.
  struct Place {
    uint32_t serial;
    size_t line;
  };
  std::vector<Place> HeldBy(uint32_t block) const;

 private:
  static uint64_t Key(const Region& r, size_t line) { return uint64_t{r.serial} << 40 | line; }
  std::unordered_map<uint64_t, std::vector<CachedLine>> lines_;
};

}  // namespace akgen::sim
