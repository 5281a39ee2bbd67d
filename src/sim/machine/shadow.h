// Byte-exact "defined" bits and per-block access history of on-chip memory.
//
// Defined bits: one bit per byte, a 32-bit word per 32-byte DataBlock. Undefinedness travels with
// data (as in a memory sanitizer) and is reported where it matters: scalar reads, offsets, and
// outputs at the end. Access history: per DataBlock and pipe the epoch of the last read and the
// last write (structure of arrays, so that the check of a long range is a few vector compares).
// Accesses to a part of a DataBlock are kept apart, to the byte.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/machine/pipes.h"

namespace akgen::sim {

inline constexpr uint32_t kBlockBytes = 32;
// Zeros, at no alignment that matters; throws std::bad_alloc. Many are mapped in huge pages where
// the system has them: a fault for each 4 KiB would cost a launch over large tensors a tenth of its
// time.
void* AllocateZeros(size_t bytes);
void FreeZeros(void* p, size_t bytes);
// An array of zeros. Large ones cost memory and time only where they are touched: most of a
// workspace never is.
template <class T>
class ZeroedArray {
 public:
  void Resize(size_t n) {
    data_.reset();
    if (n) data_ = {static_cast<T*>(AllocateZeros(n * sizeof(T))), Free{n * sizeof(T)}};
    size_ = n;
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

 private:
  struct Free {
    size_t bytes = 0;
    void operator()(T* p) const { FreeZeros(p, bytes); }
  };
  std::unique_ptr<T, Free> data_;
  size_t size_ = 0;
};

class DefinedBits {
 public:
  void Resize(size_t bytes) { words_.Resize((bytes + 31) / 32); }
  void Fill(bool defined);
  bool Defined(size_t offset, size_t bytes) const;
  void Set(size_t offset, size_t bytes, bool defined);
  bool Bit(size_t byte) const { return (words_[byte >> 5] >> (byte & 31)) & 1; }
  // First byte in [offset, offset + bytes) whose bit is `value`, or SIZE_MAX.
  size_t Find(size_t offset, size_t bytes, bool value) const;
  // Calls each(from, to) for every run of defined bytes below `bytes`, in order.
  template <class F>
  void Each(size_t bytes, F&& each) const {
    for (size_t from = Find(0, bytes, true); from != SIZE_MAX;) {
      const size_t next = Find(from, bytes - from, false), to = next == SIZE_MAX ? bytes : next;
      each(from, to);
      from = to < bytes ? Find(to, bytes - to, true) : SIZE_MAX;
    }
  }
  uint32_t* words() { return words_.data(); }
  const uint32_t* words() const { return words_.data(); }
  bool empty() const { return words_.empty(); }

 private:
  ZeroedArray<uint32_t> words_;
};

// Vector clock of one pipe: for each pipe, the last epoch known to be complete.
struct Clock {
  uint32_t at[kClockSlots] = {};
  void Join(const Clock& o) {
    for (int i = 0; i < kClockSlots; ++i)
      if (o.at[i] > at[i]) at[i] = o.at[i];
  }
};

struct Conflict {
  bool found = false;
  bool prior_is_write = false;
  uint32_t pipe = 0;  // the earlier access's pipe, or kRawScalar
  uint32_t epoch = 0;
  uint32_t site = 0;  // index given by the core
  uint32_t at = 0;    // first byte in conflict
};

struct ByteRange {
  uint32_t from = 0, to = 0;
};

class AccessHistory {
 public:
  // `pipes`: that reach the memory.
  void Resize(size_t bytes, const PipeList& pipes);
  // Checks [offset, offset + bytes) against what `clock` knows, then records the access. Gives the
  // conflict with the latest access (who waits for that waits for those before it that it had
  // waited for); `contested` gets all bytes of the access that are in conflict.
  Conflict Read(uint32_t offset, size_t bytes, uint32_t pipe, const Clock& clock, uint32_t epoch,
                uint32_t site);
  Conflict Write(uint32_t offset, size_t bytes, uint32_t pipe, const Clock& clock, uint32_t epoch,
                 uint32_t site, std::vector<ByteRange>* contested = nullptr);
  // The latest write after epoch `since` into the DataBlock of `offset`, or, when there is none,
  // into the one before: where a copy that came up short has ended. `found` is false when neither
  // was written.
  Conflict NearestWrite(uint32_t offset, uint32_t since) const;
  // Was the latest write to the byte, after epoch `since`, one of this pipe?
  bool Wrote(uint32_t pipe, uint32_t offset, uint32_t since) const;

 private:
  // An access to some bytes of a DataBlock. A pipe finishes in order, so an entry means nothing
  // once the same pipe has gone over its bytes again.
  struct Part {
    uint32_t epoch = 0, site = 0;
    uint8_t from = 0, to = 0;
  };
  static constexpr size_t kParts = 4;  // the oldest two are joined when there are more
  struct Parts {
    Part part[kParts];
    uint8_t count = 0;
  };
  struct Lane {
    size_t blocks = 0;
    uint32_t *epoch = nullptr,
             *site = nullptr;     // of the last access to the whole DataBlock, by DataBlock
    std::vector<uint16_t> index;  // into `parts`, plus 1; empty while no access was partial
    std::vector<Parts> parts;
    uint32_t latest = 0,
             latest_part = 0;  // highest epochs in it: a lane that is wholly known needs no look
  };
  struct Range {
    uint32_t offset, end;
    uint32_t known, now;  // what the accessor's clock holds of the lane's pipe; its own epoch
  };
  static bool Any(const Lane& lane, const Range& r);
  template <class F>
  static void Visit(const Lane& lane, const Range& r, F each);
  static void Look(const Lane& lane, const Range& r, uint32_t pipe, bool write, Conflict& c,
                   std::vector<ByteRange>* contested);
  static void Stamp(Lane& lane, uint32_t offset, uint32_t end, uint32_t epoch, uint32_t site);
  static void StampPart(Lane& lane, uint32_t block, Part part);
  PipeList pipes_;                                           // of the lanes, in their order
  ZeroedArray<uint32_t> cells_;                              // epoch and site of all lanes
  Lane reads_[PipeList::kLimit], writes_[PipeList::kLimit];  // by pipes_
  uint8_t lane_of_[kClockSlots] = {};                        // by pipe
};

}  // namespace akgen::sim
