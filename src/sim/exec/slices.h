// Slices of tensors that begin in another buffer than the tensor they came from: the address alone
// does not tell.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <unordered_map>
#include <vector>

#include "sim/machine/memory.h"

namespace akgen::sim {

class Core;

class Slices {
 public:
  void Reset() { origin_.clear(), used_.clear(); }
  // AKGEN_SLICE_… of a slice that begins `offset` bytes behind an address, of which `from` is
  // known.
  uint32_t Of(const Core& core, const void* address, uint64_t offset, uint32_t from);
  void Use(const void* address) {
    constexpr size_t kLimit = 16;  // operands of an instruction are fewer
    if (used_.size() < kLimit) used_.push_back(address);
  }
  bool used() const { return !used_.empty(); }
  // An instruction is issued with these operands: AK1003 for each that is such a slice. `idle`: it
  // touches no bytes.
  void OnInstruction(Core& core, uint32_t pipe, const char* what,
                     std::initializer_list<const void*> operands, bool idle);

 private:
  std::unordered_map<const void*, NamedBuffer>
      origin_;                     // by where such a slice begins: the buffer it came from
  std::vector<const void*> used_;  // as the next instruction's operands
};

}  // namespace akgen::sim
