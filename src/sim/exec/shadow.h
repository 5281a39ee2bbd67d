// Byte-exact "defined" bits and per-block access history of on-chip memory.
//
// Defined bits: one bit per byte, a 32-bit word per 32-byte DataBlock. Undefinedness travels with data (as in a
// memory sanitizer) and is reported where it matters: scalar reads, offsets, and outputs at the end.
// Access history: per DataBlock and pipe the epoch of the last read and the last write (structure of arrays, so that
// the check of a long range is a few vector compares).
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace akgen::sim {

inline constexpr uint32_t kBlockBytes = 32;
inline constexpr int kPipes = 7;
// Pipes of a vector core that touch UB: S, V, MTE2, MTE3, in this order in the history arrays.
inline constexpr int kUbPipes = 4;
int UbPipeSlot(uint32_t pipe);  // -1 for pipes that never touch UB

class DefinedBits {
 public:
  void Resize(size_t bytes) { words_.assign((bytes + 31) / 32, 0); }
  void Fill(bool defined);
  bool Defined(size_t offset, size_t bytes) const;
  void Set(size_t offset, size_t bytes, bool defined);
  bool Bit(size_t byte) const { return (words_[byte >> 5] >> (byte & 31)) & 1; }
  // First byte in [offset, offset + bytes) whose bit is `value`, or SIZE_MAX.
  size_t Find(size_t offset, size_t bytes, bool value) const;
  uint32_t* words() { return words_.data(); }
  const uint32_t* words() const { return words_.data(); }
  bool empty() const { return words_.empty(); }

 private:
  std::vector<uint32_t> words_;
};

// Vector clock of one pipe: for each pipe, the last epoch known to be complete.
struct Clock {
  uint32_t at[kPipes] = {};
  void Join(const Clock& o) {
    for (int i = 0; i < kPipes; ++i)
      if (o.at[i] > at[i]) at[i] = o.at[i];
  }
};

struct Conflict {
  bool found = false;
  bool prior_is_write = false;
  uint32_t pipe = 0;     // the earlier access's pipe
  uint32_t epoch = 0;
  uint32_t site = 0;     // index given by the core
  uint32_t block = 0;    // first DataBlock in conflict
};

class AccessHistory {
 public:
  void Resize(size_t bytes);
  // Checks [first, last] DataBlocks against what `clock` knows, then records the access.
  Conflict Read(uint32_t first, uint32_t last, uint32_t pipe, const Clock& clock, uint32_t epoch, uint32_t site);
  Conflict Write(uint32_t first, uint32_t last, uint32_t pipe, const Clock& clock, uint32_t epoch, uint32_t site);

 private:
  struct Lane {
    std::vector<uint32_t> epoch, site;
    uint32_t latest = 0;  // highest epoch in it: a lane that is wholly known needs no look at its blocks
  };
  // Is there an access later than `known` that is not part of the running instruction (`now`)?
  static bool AnyAfter(const Lane& lane, uint32_t first, uint32_t last, uint32_t known, uint32_t now);
  Conflict Locate(const Lane& lane, uint32_t first, uint32_t last, uint32_t known, uint32_t now, uint32_t slot,
                  bool write) const;
  static void Stamp(Lane& lane, uint32_t first, uint32_t last, uint32_t epoch, uint32_t site);
  Lane reads_[kUbPipes], writes_[kUbPipes];
};

}  // namespace akgen::sim
