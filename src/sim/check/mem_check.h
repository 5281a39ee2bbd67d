// memcheck: bounds, alignment, whose the bytes are; in Global Memory also what may be written, and
// that blocks do not overwrite each other. Bounds hold whatever is switched on.
#pragma once
#include <string>

#include "sim/check/checks.h"
#include "sim/check/reporter.h"
#include "sim/machine/access.h"
#include "sim/machine/global_memory.h"

namespace akgen::sim {

class MemCheck {
 public:
  MemCheck(const Checks& on, const Now& now, Reporter& out) : on_(on), now_(now), out_(out) {}
  bool on() const { return on_.memory; }

  // An access to a memory of the core. False: it leaves the memory (reported) and must not happen.
  bool OnAccess(const Memory& m, const Access& a) {
    // Distances, not sums: an address may be anything.
    const uint64_t offset = uint64_t(static_cast<const uint8_t*>(a.at) - m.base());
    if (offset > m.bytes() || a.bytes > m.bytes() - offset)
      return ReportOutside(m, a, offset), false;
    if (a.align > 1) OnStart(m, a.at, a.bytes, a.write, a.align, a.what);
    if (offset == m.bytes()) return true;  // no bytes behind the last
    if (m.buffers.owned() && on_.memory) CheckOwner(m, a, uint32_t(offset));
    return true;
  }
  // An operand starts there, inside the memory.
  void OnStart(const Memory& m, const void* at, size_t bytes, bool write, uint32_t align,
               const char* what) {
    if (m.OffsetOf(at) % align) ReportMisaligned(m, m.OffsetOf(at), bytes, write, align, what);
  }
  // An access to Global Memory: its region; null: illegal, reported. With `usable`, an access that
  // only ends beyond its tensor is reported too, but its region comes back with the bytes that lie
  // inside: the rest is dropped, as if it met foreign memory.
  Region* OnGmAccess(const Access& a, size_t* usable = nullptr);
  // Two blocks write the same bytes of a cell. Equal bytes are harmless (a warning), different ones
  // make the result depend on timing. `data`: what this write brings from `offset` on, or null.
  void OnOverlap(Region& r, size_t cell, size_t offset, size_t bytes, const uint8_t* data);

 private:
  void CheckOwner(const Memory& m, const Access& a, uint32_t offset);
  void ReportOwner(const Memory& m, const Access& a, uint32_t offset);
  void ReportFreed(const Memory& m, const NamedBuffer& b, const Access& a, uint32_t offset);
  void ReportOutside(const Memory& m, const Access& a, uint64_t offset);
  void ReportMisaligned(const Memory& m, uint32_t at, size_t bytes, bool write, uint32_t align,
                        const char* what);
  void ReportOutsideGm(const Access& a);

  const Checks& on_;
  const Now& now_;
  Reporter& out_;
};

}  // namespace akgen::sim
