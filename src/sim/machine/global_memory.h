// The chip's Global Memory: the regions of the launch, what is defined in them, and which block
// wrote where.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/machine/block_order.h"
#include "sim/machine/shadow.h"

namespace akgen::sim {

// Bytes: no flag or counter is larger, and no copy of all flags that a block waits for.
inline constexpr size_t kMaxOfAFlag = 64, kMaxOfFlags = 4096;

enum class Role : uint8_t { kInput, kOutput, kInout, kWorkspace, kTiling, kScratch };

// A tensor in Global Memory: [base, base + bytes). Inputs and tiling are read-only for the kernel
// and defined; outputs and workspace start undefined; inout starts defined; scratch (aclrtMalloc)
// starts undefined.
struct GmRegion {
  std::string name;
  uint8_t* base = nullptr;
  size_t bytes = 0;
  Role role = Role::kInput;
  // Bytes of the allocation behind the tensor; 0: just `bytes`. Devices allocate in coarse units,
  // and touching the rest of the last unit does no harm there: it is reported as a warning. What
  // lies there is whatever the host left (the judge fills it with NaN).
  size_t capacity = 0;
  size_t Extent() const { return capacity > bytes ? capacity : bytes; }
};

// A write that left bytes undefined, or came up short of them: place as in the lanes, pipe, block;
// in Global Memory or in UB.
struct WrittenBy {
  uint32_t site = 0, pipe = 0;
  int block = -1;
  bool in_gm = false;
};

struct Region : GmRegion {
  // Empty while everything is defined (inputs) …
  DefinedBits defined;
  // … and which bytes kernels wrote in this launch. Both lazily sized.
  DefinedBits written;
  // Where kernels stored what was not all defined, in any launch; those bytes that `defined` has
  // not are made of data that nobody wrote. Lazily sized.
  DefinedBits unfounded;
  struct Span {  // bytes of a cell
    uint8_t from = 0, to = 32;
    bool Meets(Span o) const { return from < o.to && o.from < to; }
    bool Holds(Span o) const { return from <= o.from && o.to <= to; }
  };
  // An access to a run of cells (32 bytes each): whose, on which pipe, when in its block's own
  // order (epoch) and in the launch's (generation).
  struct Visit {
    size_t first = 0, last = 0;  // cells
    uint32_t epoch = 0, generation = 0, site = 0;
    uint16_t owner = 0;         // block + 1
    uint8_t from = 0, to = 32;  // bytes of the first and of the last cell
    uint8_t pipe = 0, atomic = 0;
    bool cached = false;  // through the scalar unit's data cache: its whole line is meant when that
                          // is written back
    size_t bytes() const { return (last - first) * 32 + to - from; }
    Span In(size_t cell) const {
      return {cell == first ? from : uint8_t{0}, cell == last ? to : uint8_t{32}};
    }
  };
  // Access history of writable regions: the latest visit of each cell. Sized at the first access of
  // a launch.
  class Lane {
   public:
    void Resize(size_t cells) { index_.Resize(cells); }
    bool empty() const { return index_.empty(); }
    void Clear();
    bool Any(size_t first, size_t last) const;
    const Visit* At(size_t cell) const {
      return index_[cell] ? &visits_[index_[cell] - 1] : nullptr;
    }
    void Add(const Visit& visit);

   private:
    void Compact();
    ZeroedArray<uint32_t> index_;  // per cell: into visits_, plus 1
    std::vector<Visit> visits_;
  };
  Lane reads, writes;
  // Of cells that small writes went to, flags and counters among them: what whoever reads them
  // knows to be over (of those in which atomic writes, or writes of different bytes, followed each
  // other, what all of them did), and what the cell held before the latest.
  struct Published {
    BlockClock known;
    std::array<uint8_t, 32> before{};
  };
  std::unordered_map<uint32_t, Published> published;
  // Of cells that blocks wrote the same bytes to, with nothing ordering them: those writes.
  std::unordered_map<uint32_t, std::vector<Visit>> alike;
  bool publishes_much = false;  // more cells than are kept
  // Per place that stored undefined bytes: the write that came up short of them.
  std::map<uint32_t, WrittenBy> origins;
  bool all_defined = false;
  bool was_read = false;  // some byte of it, by a copy or by the scalar unit
  uint32_t serial = 0;    // the order in which regions were added
  bool writable() const { return role != Role::kInput && role != Role::kTiling; }
};

class GlobalMemory {
 public:
  void Add(const GmRegion& region);
  void Remove(const uint8_t* base);
  void Clear() {
    regions_.clear();
    removed_.clear();
    last_ = nullptr;
    added_ = 0;
  }
  // The region that holds `p`, or the one nearest below it within one page (for messages), or
  // nullptr.
  Region* Find(const void* p);
  Region* FindNear(const void* p);
  // The name of the region that was removed from around `p`, or nullptr.
  const std::string* FindRemoved(const void* p) const;
  std::vector<std::unique_ptr<Region>>& regions() { return regions_; }
  void BeginLaunch();

 private:
  std::vector<std::unique_ptr<Region>> regions_;  // sorted by base
  std::vector<GmRegion> removed_;                 // the latest few
  Region* last_ = nullptr;
  uint32_t added_ = 0;
};

GlobalMemory& Gm();

// Registers or removes a region of the process-wide GM map. Regions must not overlap.
void AddGmRegion(const GmRegion& region);
void RemoveGmRegion(const uint8_t* base);
void ClearGmRegions();
// Marks bytes as defined (host writes such as aclrtMemcpy).
void MarkGmDefined(const uint8_t* base, size_t bytes);
// The same after a copy within GM: what was undefined stays so.
void CopyGmDefined(const uint8_t* to, const uint8_t* from, size_t bytes);
// The first of these bytes that nobody wrote, or that a kernel made of data nobody wrote; SIZE_MAX
// when there is none.
size_t FindGmUndefined(const uint8_t* base, size_t bytes, bool by_kernel);

}  // namespace akgen::sim
