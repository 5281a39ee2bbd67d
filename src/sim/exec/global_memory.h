// The chip's Global Memory: the regions of the launch, what is defined in them, and which block wrote where.
#pragma once
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
  std::vector<uint16_t> owner;  // per 32 bytes: block + 1 that wrote last, 0 none
  bool all_defined = false;
  bool writable() const { return role != Role::kInput && role != Role::kTiling; }
};

class GlobalMemory {
 public:
  void Add(const GmRegion& region);
  void Remove(const uint8_t* base);
  void Clear() { regions_.clear(); last_ = nullptr; }
  // The region that holds `p`, or the one nearest below it within one page (for messages), or nullptr.
  Region* Find(const void* p);
  Region* FindNear(const void* p);
  std::vector<std::unique_ptr<Region>>& regions() { return regions_; }
  // Who wrote what no longer matters: a launch begins, or blocks have waited for each other.
  void ForgetWriters();
  void NoteWriter() { any_writer_ = true; }

 private:
  bool any_writer_ = true;
  std::vector<std::unique_ptr<Region>> regions_;  // sorted by base
  Region* last_ = nullptr;
};

GlobalMemory& Gm();

}  // namespace akgen::sim
