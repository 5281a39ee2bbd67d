#include "sim/machine/gm_mapping.h"

#include <sys/mman.h>

namespace akgen::sim {
namespace {
constexpr size_t kPage = 4096;
// Far from where Linux puts programs, libraries, stacks and the shadow of AddressSanitizer.
constexpr uintptr_t kFirst = uintptr_t{0x2000} << 32, kBehind = uintptr_t{0x5000} << 32;
constexpr size_t kApart = size_t{8} << 30;

size_t Pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

uint8_t* Map(size_t bytes, int protection, int flags, int fd, size_t offset) {
  static uintptr_t next = kFirst;
  while (next < kBehind && bytes < kBehind - next) {
    void* const at = reinterpret_cast<void*>(next);
    next += Pages(bytes) / kApart * kApart + 2 * kApart;
    void* p = ::mmap(at, bytes, protection, flags | MAP_FIXED_NOREPLACE, fd, off_t(offset));
    if (p == at) return static_cast<uint8_t*>(p);
    if (p == MAP_FAILED) break;
    ::munmap(p, bytes);  // a kernel that does not know the flag
  }
  // Something else has these addresses, or all have been used.
  const size_t guarded = Pages(bytes) + 2 * kPage;
  void* room = ::mmap(nullptr, guarded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  uint8_t* const at = static_cast<uint8_t*>(room) + kPage;
  return ::mmap(at, bytes, protection, flags | MAP_FIXED, fd, off_t(offset)) == at ? at : nullptr;
}
}  // namespace

uint8_t* MapGm(size_t bytes) {
  return Map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

uint8_t* MapGmOfFile(int fd, size_t offset, size_t bytes, bool writable) {
  const size_t before = offset % kPage;
  uint8_t* p = Map(before + bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_POPULATE, fd,
                   offset - before);
  return p ? p + before : nullptr;
}

void UnmapGm(uint8_t* base, size_t bytes) {
  const size_t before = reinterpret_cast<uintptr_t>(base) % kPage;
  ::munmap(base - before, before + bytes);
}

}  // namespace akgen::sim
