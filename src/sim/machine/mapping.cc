#include "sim/machine/mapping.h"

#include <sys/mman.h>

#include <cerrno>

namespace akgen::sim {
namespace {
constexpr size_t kPage = 4096;

// Addresses that are given out from the first on, and never again.
struct Range {
  uintptr_t next, end;
  size_t apart;
};
// Far from where Linux puts programs, libraries, stacks and the shadow of AddressSanitizer. Nothing is reserved: limits
// on addresses count what is mapped.
constexpr uintptr_t kTera = uintptr_t{1} << 40;
Range& GmRange() {
  static Range range{34 * kTera, 80 * kTera, size_t{8} << 30};
  return range;
}
Range& OnChipRange() {
  static Range range{32 * kTera, 34 * kTera, size_t{16} << 20};
  return range;
}

struct Backing {
  int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, fd = -1;
  size_t offset = 0;
};

uint8_t* Map(Range& range, size_t bytes, const Backing& b) {
  while (range.next < range.end && bytes < range.end - range.next) {
    void* const at = reinterpret_cast<void*>(range.next);
    range.next += bytes / range.apart * range.apart + 2 * range.apart;
    void* p = ::mmap(at, bytes, b.protection, b.flags | MAP_FIXED_NOREPLACE, b.fd, off_t(b.offset));
    if (p == at) return static_cast<uint8_t*>(p);
    if (p == MAP_FAILED && errno == EEXIST) continue;  // something else lies there
    if (p != MAP_FAILED) ::munmap(p, bytes);           // a Linux that does not know the flag
    break;
  }
  // All have been used, or this machine has none of them.
  void* p = ::mmap(nullptr, bytes, b.protection, b.flags, b.fd, off_t(b.offset));
  return p == MAP_FAILED ? nullptr : static_cast<uint8_t*>(p);
}
}  // namespace

uint8_t* MapGm(size_t bytes) { return Map(GmRange(), bytes, {}); }
uint8_t* MapOnChip(size_t bytes) { return Map(OnChipRange(), bytes, {}); }

uint8_t* MapGmOfFile(int fd, size_t offset, size_t bytes, bool writable) {
  const size_t before = offset % kPage;
  uint8_t* p = Map(GmRange(), before + bytes,
                   {writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_POPULATE, fd, offset - before});
  return p ? p + before : nullptr;
}

void Unmap(uint8_t* base, size_t bytes) {
  const size_t before = reinterpret_cast<uintptr_t>(base) % kPage;
  ::munmap(base - before, before + bytes);
}

}  // namespace akgen::sim
