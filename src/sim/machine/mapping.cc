#include "sim/machine/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace akgen::sim {
namespace {
// Addresses that are given out one after the other, and again when all have been.
class Mapping {
 public:
  constexpr Mapping(uintptr_t begin, uintptr_t end, size_t apart)
      : begin_(begin), end_(end), apart_(apart), next_(begin) {}
  // nullptr when so much does not fit.
  void* Take(size_t bytes) {
    const size_t room = bytes / apart_ * apart_ + 2 * apart_;
    if (room < bytes || room > end_ - begin_) return nullptr;
    if (room > end_ - next_) next_ = begin_;
    return reinterpret_cast<void*>(std::exchange(next_, next_ + room));
  }

 private:
  uintptr_t begin_, end_;
  size_t apart_;
  uintptr_t next_;
};
// Far from where Linux puts programs, libraries, stacks and the shadow of AddressSanitizer. Nothing
// is reserved: limits on addresses count what is mapped.
constexpr uintptr_t kTera = uintptr_t{1} << 40;
Mapping g_gm(34 * kTera, 80 * kTera, size_t{8} << 30),
    g_on_chip(32 * kTera, 34 * kTera, size_t{16} << 20);
constexpr size_t kUnwrittenBytes = size_t{1} << 20;  // no memory of a core is larger
constexpr int kMaxTries = 1 << 16;                   // places that are taken

struct Backing {
  int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
      fd = -1;
  size_t offset = 0;
};

uint8_t* Map(Mapping& range, size_t bytes, const Backing& b) {
  for (int i = 0; i < kMaxTries; ++i) {
    void* const at = range.Take(bytes);
    if (!at) break;
    void* p = ::mmap(at, bytes, b.protection, b.flags | MAP_FIXED_NOREPLACE, b.fd, off_t(b.offset));
    if (p == at) return static_cast<uint8_t*>(p);
    if (p == MAP_FAILED && errno == EEXIST) continue;
    if (p != MAP_FAILED) ::munmap(p, bytes);  // a Linux that does not know the flag
    break;
  }
  // This machine has no such addresses.
  void* p = ::mmap(nullptr, bytes, b.protection, b.flags, b.fd, off_t(b.offset));
  return p == MAP_FAILED ? nullptr : static_cast<uint8_t*>(p);
}
}  // namespace

size_t PageBytes() {
  static const size_t bytes = size_t(::sysconf(_SC_PAGESIZE));
  return bytes;
}

uint8_t* MapGm(size_t bytes) { return Map(g_gm, bytes, {}); }

int UnwrittenFile() {
  static const int file = [] {
    const int fd = ::memfd_create("unwritten", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const std::vector<uint8_t> content(kUnwrittenBytes, kUnwritten);
    if (fd >= 0 && ::write(fd, content.data(), content.size()) == ssize_t(content.size()) &&
        ::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
      return fd;
    if (fd >= 0) ::close(fd);
    return -1;
  }();
  return file;
}

uint8_t* MapOnChip(size_t bytes) {
  const int file = bytes <= kUnwrittenBytes ? UnwrittenFile() : -1;
  uint8_t* p =
      Map(g_on_chip, bytes,
          file < 0 ? Backing{} : Backing{.flags = MAP_PRIVATE | MAP_NORESERVE, .fd = file});
  if (p && file < 0) std::memset(p, kUnwritten, bytes);
  return p;
}

uint8_t* MapGmOfFile(int fd, size_t offset, size_t bytes, bool writable, bool whole) {
  const size_t before = offset % PageBytes();
  uint8_t* p = Map(g_gm, before + bytes,
                   {writable ? PROT_READ | PROT_WRITE : PROT_READ,
                    MAP_SHARED | (whole ? MAP_POPULATE : 0), fd, offset - before});
  return p ? p + before : nullptr;
}

uint8_t* MapGmRepeated(int fd, size_t offset, size_t period, size_t bytes, bool writable) {
  if (period == 0 || period % PageBytes() || offset % PageBytes()) return nullptr;
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  uint8_t* p = Map(g_gm, bytes, {});
  for (size_t at = 0; p && at < bytes; at += period) {
    const size_t part = std::min(period, bytes - at);
    const int flags = MAP_FIXED | MAP_NORESERVE | (writable ? MAP_PRIVATE : MAP_SHARED);
    if (::mmap(p + at, part, protection, flags, fd, off_t(offset)) != MAP_FAILED) continue;
    ::munmap(p, bytes);
    p = nullptr;
  }
  return p;
}

void Unmap(uint8_t* base, size_t bytes) {
  const size_t before = reinterpret_cast<uintptr_t>(base) % PageBytes();
  ::munmap(base - before, before + bytes);
}

}  // namespace akgen::sim
