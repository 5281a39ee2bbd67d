#include "guest/code_memory.h"

#include <sys/mman.h>

namespace akgen::guest {

// Works in a confined child as well: seccomp lets a process that computes have memory, and what is
// written here is written by the translator alone. A descriptor could not be had there.
std::unique_ptr<CodeMemory> CodeMemory::Make(size_t table_bytes, size_t code_bytes) {
  constexpr size_t kPage = 4096;
  std::unique_ptr<CodeMemory> m(new CodeMemory);
  m->table_bytes_ = (table_bytes + kPage - 1) / kPage * kPage;
  m->bytes_ = m->table_bytes_ + (code_bytes + kPage - 1) / kPage * kPage;
  void* p = ::mmap(nullptr, m->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  m->written_ = static_cast<uint8_t*>(p);
  // An old size of 0 leaves the old mapping of shared pages and adds a second one (mremap(2)).
  void* q = ::mremap(p, 0, m->bytes_, MREMAP_MAYMOVE);
  if (q == MAP_FAILED) return nullptr;
  m->executed_ = static_cast<uint8_t*>(q);
  const bool ready = ::mprotect(m->executed_, m->table_bytes_, PROT_READ) == 0 &&
                     ::mprotect(m->executed_ + m->table_bytes_, m->bytes_ - m->table_bytes_,
                                PROT_READ | PROT_EXEC) == 0;
  return ready ? std::move(m) : nullptr;
}

CodeMemory::~CodeMemory() {
  if (written_) ::munmap(written_, bytes_);
  if (executed_) ::munmap(executed_, bytes_);
}

}  // namespace akgen::guest
