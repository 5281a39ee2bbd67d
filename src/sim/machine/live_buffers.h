// Which buffer owns the bytes of a memory: what InitBuffer has allocated, under the names that
// messages use, and where it has not, what the kernel's tensors at addresses of its own take.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/shadow.h"

namespace akgen::sim {

// A piece of memory that InitBuffer gave out.
struct NamedBuffer {
  uint32_t offset = 0, bytes = 0, position = 0, serial = 0;
  bool placed = false;  // by the kernel: LocalMemAllocator, LocalTensor(position, address, size)
  bool shared =
      false;  // its bytes may be another buffer's as well: nothing is said about its turns
  uint64_t freed = 0, allocated = 0;  // numbers of the latest FreeTensor and AllocTensor, 0: none
  uint32_t freed_site = 0;
  // Was a call of this number made after the latest FreeTensor and before the AllocTensor that
  // followed, if one did?
  bool GoneAt(uint64_t number) const {
    return freed && number >= freed && (allocated < freed || number < allocated);
  }
};

class LiveBuffers {
 public:
  static constexpr uint8_t kNobody = 0, kStack = 255;  // kStack: bytes that PopStackBuffer lent
  void Resize(uint32_t bytes);
  void Reset();
  // The life of all buffers ends; who still holds one keeps its name until the number is given
  // again.
  void EndAll();
  // From now on the bytes are those of the buffer numbered `id`.
  void Give(uint8_t id, const NamedBuffer& buffer);
  void Lend(uint32_t from, uint32_t to);
  // A tensor that the kernel has placed: bytes that nobody owns become a buffer, one with others
  // that it overlaps.
  void Place(uint32_t offset, uint32_t bytes, uint32_t position);
  bool given() const { return given_; }             // has InitBuffer given out any?
  bool owned() const { return given_ || placed_; }  // has anybody?

  uint8_t OwnerOf(uint32_t offset) const { return owner_[offset / kGrain]; }
  // The buffer of this number, nullptr when it has no name.
  NamedBuffer* Named(uint8_t id) { return id && id < named_.size() ? &named_[id] : nullptr; }
  const NamedBuffer* Named(uint8_t id) const {
    return id && id < named_.size() ? &named_[id] : nullptr;
  }
  // Do the bytes from `offset` on belong to the buffer of the first one, as far as they belong to
  // any?
  bool RunsIntoUnused(uint32_t offset, size_t bytes) const;
  std::string NameAt(
      uint64_t offset) const;  // "buffer 2 (VECIN, bytes 4096 to 6143)", empty when nobody's

 private:
  static constexpr uint32_t kGrain = 32;
  ZeroedArray<uint8_t> owner_;  // per 32 bytes
  std::vector<NamedBuffer> named_;
  bool given_ = false, written_ = false;  // written_: has owner_ been?
  uint32_t placed_ = 0;
};

}  // namespace akgen::sim
