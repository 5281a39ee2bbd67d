// Where undefined data came from. Bytes that a copy brings from Global Memory although nobody wrote
// them are traced, by DataBlock, through copies and instructions, so that a finding can name the
// write that came up short of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/global_memory.h"
#include "sim/machine/shadow.h"

namespace akgen::sim {

class Origins {
 public:
  void Resize(size_t bytes) { blocks_ = bytes / kBlockBytes; }
  void Reset();
  // Number of the origin that the byte at `offset` of UB has, 0: none is known.
  uint32_t At(size_t offset) const {
    return any_ && offset / kBlockBytes < of_.size() ? of_[offset / kBlockBytes] : 0;
  }
  void Set(size_t offset, size_t bytes, uint32_t origin);
  // Of what is brought here from another memory, where it lies at `offset`.
  uint32_t Brought(const Origins& other, size_t offset);
  // Of bytes of `region` from `offset` on that nobody wrote: the write nearest to them, 0 when
  // there is none.
  uint32_t OfGm(const Region& region, size_t offset);
  const WrittenBy& operator[](uint32_t origin) const { return known_[origin - 1]; }

 private:
  uint32_t NumberOf(const WrittenBy& by);

  size_t blocks_ = 0;
  std::vector<uint32_t> of_;      // by DataBlock; empty until one is known
  std::vector<WrittenBy> known_;  // the numbers are of this memory
  bool any_ = false;
};

}  // namespace akgen::sim
