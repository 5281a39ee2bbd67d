#include "toolchain/builder/huge_text.h"

#include <link.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/files.h"

namespace akgen::toolchain {
namespace {
// The sanitizers' runtimes want to know of every mapping.
#ifdef AKGEN_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr uintptr_t kHuge = uintptr_t{2} << 20;

// A copy in large pages takes the place of [first, end), which are multiples of kHuge. What fails
// leaves all as it was.
void Replace(uintptr_t first, uintptr_t end) {
  const size_t size = end - first;
  void* room = ::mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return;
  const auto base = reinterpret_cast<uintptr_t>(room);
  const uintptr_t copy = (base + kHuge - 1) & ~(kHuge - 1);
  void* at = reinterpret_cast<void*>(copy);
  if (::madvise(at, size, MADV_HUGEPAGE) == 0) {
    std::memcpy(at, reinterpret_cast<const void*>(first), size);
    if (::mprotect(at, size, PROT_READ | PROT_EXEC) == 0)
      (void)::mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(first));
  }
  // What is left of the room; where the copy has moved away this frees nothing.
  ::munmap(room, size + kHuge);
}

int ReplaceIn(dl_phdr_info* object, size_t, void*) {
  const std::string_view name = object->dlpi_name ? object->dlpi_name : "";
  if (name.find("libLLVM") == name.npos && name.find("libclang") == name.npos) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& p = object->dlpi_phdr[i];
    if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || (p.p_flags & PF_W)) continue;
    const uintptr_t start = object->dlpi_addr + p.p_vaddr;
    const uintptr_t first = (start + kHuge - 1) & ~(kHuge - 1),
                    end = (start + p.p_filesz) & ~(kHuge - 1);
    if (first < end) Replace(first, end);
  }
  return 0;
}
}  // namespace

void UseHugeText() {
  if (kSanitized) return;
  const auto enabled = base::ReadFile("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!enabled.ok() || enabled->find("[never]") != std::string::npos) return;
  ::dl_iterate_phdr(ReplaceIn, nullptr);
}

}  // namespace akgen::toolchain
