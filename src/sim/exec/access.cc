// Bounds, alignment and ordering of single accesses to UB and GM.
#include <algorithm>

#include "sim/exec/core.h"

namespace akgen::sim {
namespace {
std::string Range(uint64_t at, uint64_t bytes) { return std::to_string(bytes) + " bytes at offset " + std::to_string(at); }
}  // namespace

bool Core::CheckUb(const void* address, size_t bytes, bool write, uint32_t align, const char* what) {
  const uint8_t* a = static_cast<const uint8_t*>(address);
  const char* verb = write ? " writes " : " reads ";
  if (a < ub_ || a + bytes > ub_ + ub_bytes_) {
    long at = long(a - ub_);
    bool near = at > -(1 << 22) && at < (1 << 22);
    Report(near ? FindingKind::kUbOutOfBounds : FindingKind::kInvalidPointer,
           std::string(what) + verb + std::to_string(bytes) + " bytes at UB offset " +
               (near ? std::to_string(at) : std::string("(no UB address)")) + ", outside the Unified Buffer of " +
               std::to_string(ub_bytes_) + " bytes",
           false, uint64_t(at), bytes);
    return false;
  }
  uint32_t at = UbOffset(a);
  if (align > 1 && at % align)
    Report(FindingKind::kUbMisaligned, std::string(what) + verb + "UB at offset " + std::to_string(at) +
           ", which is not a multiple of " + std::to_string(align) + " bytes", false, at, bytes);
  uint8_t first = buffer_id_[at / kBlockBytes], last = bytes ? buffer_id_[(at + bytes - 1) / kBlockBytes] : first;
  if (buffers_ && checks_.memory && (first == 0 || first != last))
    Report(FindingKind::kOutsideBuffer, std::string(what) + verb + Range(at, bytes) +
           (first == 0 ? " of UB, where no buffer was initialised" : " of UB and leaves the buffer it starts in"),
           false, at, bytes);
  return true;
}

void Core::TouchUb(uint32_t offset, size_t bytes, bool write, uint32_t pipe, const char* what) {
  if (!checks_.race || bytes == 0) return;
  uint32_t first = offset / kBlockBytes, last = uint32_t((offset + bytes - 1) / kBlockBytes);
  const Clock& clock = pipes_[pipe].clock;
  Conflict c = write ? history_.Write(first, last, pipe, clock, epoch_, current_site_)
                     : history_.Read(first, last, pipe, clock, epoch_, current_site_);
  if (c.found) ReportRace(c, write, pipe, offset, bytes, what);
}

Region* Core::CheckGm(const void* address, size_t bytes, bool write, const char* what) {
  const uint8_t* a = static_cast<const uint8_t*>(address);
  Region* r = Gm().Find(a);
  const char* verb = write ? " writes " : " reads ";
  if (!r || a + bytes > r->base + r->bytes) {
    Region* near = r ? r : Gm().FindNear(a);
    if (!a) {
      Report(FindingKind::kNullArgument, std::string(what) + verb + "through a null GM address", false, 0, bytes, "GM");
    } else if (near) {
      long at = long(a - near->base);
      Report(FindingKind::kGmOutOfBounds, std::string(what) + verb + std::to_string(bytes) + " bytes at offset " +
             std::to_string(at) + " of '" + near->name + "', which has " + std::to_string(near->bytes) + " bytes",
             false, uint64_t(at), bytes, "GM:" + near->name);
    } else {
      Report(FindingKind::kGmOutOfBounds, std::string(what) + verb + "at an address that belongs to no tensor of the launch",
             false, 0, bytes, "GM");
    }
    return nullptr;
  }
  if (write && !r->writable()) {
    Report(FindingKind::kReadOnlyWrite, std::string(what) + " writes to '" + r->name + "', an input", false,
           uint64_t(a - r->base), bytes, "GM:" + r->name);
    return nullptr;
  }
  return r;
}

void Core::WriteGmShadow(Region& r, size_t offset, size_t bytes, bool atomic) {
  if (bytes == 0 || r.role == Role::kScratch || r.role == Role::kWorkspace || atomic || !checks_.memory) return;
  if (r.owner.empty()) {
    r.owner.assign((r.bytes + 31) / 32, 0);
    r.written.Resize(r.bytes);
  }
  size_t first = offset / 32, last = (offset + bytes - 1) / 32;
  uint16_t me = uint16_t(block_ + 1);
  bool foreign = false;
  for (size_t i = first; i <= last; ++i) foreign |= r.owner[i] != 0 && r.owner[i] != me;
  if (foreign) {
    size_t at = r.written.Find(offset, bytes, true);
    if (at != SIZE_MAX && r.owner[at / 32] != me)
      Report(FindingKind::kBlocksOverlap, "blocks " + std::to_string(r.owner[at / 32] - 1) + " and " + std::to_string(block_) +
             " both write '" + r.name + "' at offset " + std::to_string(at) + " without atomics", true, at, bytes, "GM:" + r.name);
  }
  Gm().NoteWriter();
  std::fill(r.owner.begin() + long(first), r.owner.begin() + long(last) + 1, me);
  r.written.Set(offset, bytes, true);
}

}  // namespace akgen::sim
