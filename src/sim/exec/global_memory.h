// The chip's Global Memory: the regions of the launch, what is defined in them, and which block wrote where.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "sim/exec/shadow.h"
#include "sim/launch/launch.h"

namespace akgen::sim {

struct Region : GmRegion {
  // Empty while everything is defined (inputs) …
  DefinedBits defined;
  // … and which bytes kernels wrote in this launch. Both lazily sized.
  DefinedBits written;
  // Access history of writable regions, per 32 bytes: who read and wrote last, on which pipe, when in its own order
  // (epoch), and in which generation of cross-core synchronisation. Sized at the first access of a launch.
  struct Span {  // which bytes of the 32 the last access covered
    uint8_t from = 0, to = 32;
    bool Meets(Span o) const { return from < o.to && o.from < to; }
  };
  struct Lane {
    std::vector<uint16_t> owner;  // block + 1, 0 none
    std::vector<uint32_t> epoch, generation, site;
    std::vector<Span> span;
    std::vector<uint8_t> atomic, pipe;
    void Resize(size_t cells);
    void Clear();
    bool AnyOwner(size_t first, size_t last) const;
  };
  Lane reads, writes;
  // Per place that stored undefined bytes: the write in UB that came up short of them (places as in the lanes).
  std::map<uint32_t, uint32_t> origins;
  bool all_defined = false;
  bool writable() const { return role != Role::kInput && role != Role::kTiling; }
};

class GlobalMemory {
 public:
  void Add(const GmRegion& region);
  void Remove(const uint8_t* base);
  void Clear() { regions_.clear(); removed_.clear(); last_ = nullptr; }
  // The region that holds `p`, or the one nearest below it within one page (for messages), or nullptr.
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
};

GlobalMemory& Gm();

}  // namespace akgen::sim
