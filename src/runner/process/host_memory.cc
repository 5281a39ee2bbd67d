#include "runner/process/host_memory.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <boost/context/fiber.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

namespace akgen::runner {
void FixAddresses(char** argv) {
  const int now = ::personality(0xffffffff);
  if (now == -1 || now & ADDR_NO_RANDOMIZE ||
      ::personality(unsigned(now) | ADDR_NO_RANDOMIZE) == -1)
    return;
  ::execv("/proc/self/exe", argv);
}

#ifdef AKGEN_SANITIZED
bool PrepareHostLayouts() { return false; }
void WithHostLayout(HostLayout, const std::function<void()>& work) { work(); }
}  // namespace akgen::runner
#else
namespace {
constexpr size_t kHeapBytes = size_t{1} << 30, kHostStackBytes = size_t{8} << 20,
                 kFilled = size_t{64} << 10;  // of a stack: the rest is zero
// Where heaps and stacks begin. The two of a kind differ in most bits, and in what small numbers
// leave of them.
constexpr uintptr_t kHeaps[] = {0x1155'5555'5000, 0x2aaa'aaab'1000},
                    kStacks[] = {0x1255'5555'5000, 0x2baa'aaac'3000};
constexpr size_t kSkipped[] = {0x550,
                               0xb80};  // of each, so that addresses within a page differ as well

void* Take(uintptr_t at, size_t bytes) {
  constexpr int kHow = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* p = ::mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                   kHow | MAP_FIXED_NOREPLACE, -1, 0);
  // Another address is as good, but for being another one each time.
  return p == MAP_FAILED ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kHow, -1, 0) : p;
}

// A heap whose addresses depend on nothing but the sizes that it was asked for.
class Heap {
 public:
  bool Open(uintptr_t at, size_t skipped) {
    void* p = Take(at, kHeapBytes);
    if (p == MAP_FAILED) return false;
    begin_ = static_cast<uint8_t*>(p);
    next_ = begin_ + skipped;
    return true;
  }
  bool open() const { return begin_; }
  bool Holds(const void* p) const { return p >= begin_ && p < begin_ + kHeapBytes; }
  void SetFill(uint8_t fill) { fill_ = fill; }
  void* Allocate(size_t bytes, size_t alignment = kUnit);
  // Filled with zero. Pages that nobody has had cost nothing until they are written.
  void* AllocateZero(size_t bytes);
  void Free(void* p);
  static size_t SizeOf(const void* p) { return HeadOf(p)->bytes; }

 private:
  static constexpr size_t kUnit = 16;
  struct Head {
    uint32_t bytes;       // that were asked for
    uint16_t kind;        // index of free_
    uint16_t misaligned;  // units between the block's begin and this, for an alignment of its own
  };
  static_assert(sizeof(Head) <= kUnit);
  struct Place {
    uint8_t* begin = nullptr;
    bool fresh = false;  // nobody has had it
  };
  Place Find(size_t bytes, size_t alignment);
  static Head* HeadOf(const void* p) {
    return reinterpret_cast<Head*>(const_cast<uint8_t*>(static_cast<const uint8_t*>(p)) - kUnit);
  }
  // Small sizes each have a list, larger ones one for every power of two.
  static constexpr size_t kSmall = 1024;
  static size_t KindOf(size_t bytes) {
    return bytes <= kSmall ? (bytes + kUnit - 1) / kUnit
                           : kSmall / kUnit + std::bit_width(bytes - 1);
  }
  static size_t RoomOf(size_t kind) {
    return kind <= kSmall / kUnit ? std::max<size_t>(kind, 1) * kUnit
                                  : size_t{1} << (kind - kSmall / kUnit);
  }

  uint8_t *begin_ = nullptr, *next_ = nullptr, fill_ = 0;
  void* free_[kSmall / kUnit + 34] = {};
};

Heap::Place Heap::Find(size_t bytes, size_t alignment) {
  const size_t spare = alignment > kUnit ? alignment : 0;
  if (bytes > kHeapBytes / 2 || spare > kUnit << 15) return {};
  const size_t kind = KindOf(bytes + spare);
  uint8_t* block = static_cast<uint8_t*>(free_[kind]);
  const bool fresh = !block;
  if (block) {
    std::memcpy(&free_[kind], block + kUnit, sizeof(void*));
  } else {
    const size_t room = kUnit + RoomOf(kind);
    if (room > size_t(begin_ + kHeapBytes - next_)) return {};
    block = next_;
    next_ += room;
  }
  uint8_t* p = block + kUnit;
  if (spare) p += -reinterpret_cast<uintptr_t>(p) & (alignment - 1);
  *HeadOf(p) = {uint32_t(bytes), uint16_t(kind), uint16_t((p - block - kUnit) / kUnit)};
  return {p, fresh};
}

void* Heap::Allocate(size_t bytes, size_t alignment) {
  const Place at = Find(bytes, alignment);
  return at.begin ? std::memset(at.begin, fill_, bytes) : nullptr;
}

void* Heap::AllocateZero(size_t bytes) {
  const Place at = Find(bytes, kUnit);
  return at.begin && !at.fresh ? std::memset(at.begin, 0, bytes) : at.begin;
}

// Pages that nobody has had stay as they are: of large memory that is mostly so.
void FillUsed(uint8_t* p, uint8_t fill, size_t bytes) {
  constexpr size_t kPage = 4096, kLarge = size_t{64} << 10;
  static unsigned char present[kHeapBytes / kPage + 1];
  uint8_t* const from = p - reinterpret_cast<uintptr_t>(p) % kPage;
  uint8_t* const end = p + bytes;
  if (bytes < kLarge || ::mincore(from, size_t(end - from), present) != 0) {
    std::memset(p, fill, bytes);
    return;
  }
  for (uint8_t* page = from; page < end; page += kPage)
    if (present[size_t(page - from) / kPage] & 1)
      std::memset(std::max(p, page), fill, size_t(std::min(end, page + kPage) - std::max(p, page)));
}

void Heap::Free(void* p) {
  const Head head = *HeadOf(p);
  uint8_t* block = static_cast<uint8_t*>(p) - kUnit - head.misaligned * kUnit;
  FillUsed(static_cast<uint8_t*>(p), uint8_t(~fill_), head.bytes);
  std::memcpy(block + kUnit, &free_[head.kind], sizeof(void*));
  free_[head.kind] = block;
}

Heap g_heaps[2];
void* g_stacks[2];
std::atomic<Heap*> g_heap = nullptr;  // that allocations go to; nullptr: the C library's
std::atomic_flag g_heap_used;

class HeapLock {
 public:
  HeapLock() {
    while (g_heap_used.test_and_set(std::memory_order_acquire)) {}
  }
  ~HeapLock() { g_heap_used.clear(std::memory_order_release); }
};

Heap* HolderOf(const void* p) {
  for (Heap& heap : g_heaps)
    if (heap.open() && heap.Holds(p)) return &heap;
  return nullptr;
}

struct HostStack {
  int place;
  boost::context::stack_context allocate() const {
    boost::context::stack_context stack;
    stack.size = kHostStackBytes - kSkipped[place];
    stack.sp = static_cast<uint8_t*>(g_stacks[place]) + stack.size;
    return stack;
  }
  void deallocate(boost::context::stack_context&) const {}
};
}  // namespace

bool PrepareHostLayouts() {
  for (int place : {0, 1}) {
    void* stack = Take(kStacks[place], kHostStackBytes);
    if (stack == MAP_FAILED || !g_heaps[place].Open(kHeaps[place], kSkipped[place]))
      return g_stacks[0] = nullptr;
    g_stacks[place] = stack;
  }
  return true;
}

void WithHostLayout(HostLayout layout, const std::function<void()>& work) {
  if (!g_stacks[0] || !g_stacks[1]) return work();
  Heap& heap = g_heaps[layout.place];
  heap.SetFill(layout.fill);
  std::memset(static_cast<uint8_t*>(g_stacks[layout.place]) + kHostStackBytes - kFilled,
              layout.fill, kFilled);
  namespace ctx = boost::context;
  ctx::fiber call(std::allocator_arg, HostStack{layout.place}, [&](ctx::fiber&& back) {
    g_heap = &heap;
    work();
    g_heap = nullptr;
    return std::move(back);
  });
  call = std::move(call).resume();
}

}  // namespace akgen::runner

// In place of the C library's, for the whole process: its own are used where no host code runs.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

#define AKGEN_HEAP akgen::runner::g_heap.load(std::memory_order_relaxed)

static void* OrNoMemory(void* p) {
  if (!p) errno = ENOMEM;
  return p;
}

static void* AkgenAllocate(size_t alignment, size_t bytes) {
  const akgen::runner::HeapLock lock;
  return OrNoMemory(AKGEN_HEAP->Allocate(bytes, alignment));
}

void* malloc(size_t bytes) { return AKGEN_HEAP ? AkgenAllocate(1, bytes) : __libc_malloc(bytes); }

void free(void* p) {
  akgen::runner::Heap* heap = akgen::runner::HolderOf(p);
  if (!heap) return __libc_free(p);
  const akgen::runner::HeapLock lock;
  heap->Free(p);
}

void* calloc(size_t count, size_t bytes) {
  if (!AKGEN_HEAP) return __libc_calloc(count, bytes);
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return errno = ENOMEM, nullptr;
  const akgen::runner::HeapLock lock;
  return OrNoMemory(AKGEN_HEAP->AllocateZero(all));
}

void* realloc(void* old, size_t bytes) {
  akgen::runner::Heap* heap = akgen::runner::HolderOf(old);
  if (!heap && (old || !AKGEN_HEAP)) return __libc_realloc(old, bytes);
  if (!heap) return AkgenAllocate(1, bytes);
  void* fresh = malloc(bytes);
  if (!fresh) return nullptr;
  std::memcpy(fresh, old, std::min(bytes, akgen::runner::Heap::SizeOf(old)));
  free(old);
  return fresh;
}

void* memalign(size_t alignment, size_t bytes) {
  return AKGEN_HEAP ? AkgenAllocate(alignment, bytes) : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** out, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) || !std::has_single_bit(alignment)) return EINVAL;
  void* p = memalign(alignment, bytes);
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}
size_t malloc_usable_size(void* p) {
  if (akgen::runner::HolderOf(p)) return akgen::runner::Heap::SizeOf(p);
  static auto* next = reinterpret_cast<size_t (*)(void*)>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next ? next(p) : 0;
}
#undef AKGEN_HEAP
}
#endif
