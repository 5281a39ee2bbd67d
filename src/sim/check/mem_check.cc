#include "sim/check/mem_check.h"

#include <algorithm>

namespace akgen::sim {
namespace {
const char* VerbOf(bool write) { return write ? " writes " : " reads "; }
const uint8_t* BytesAt(const void* p) { return static_cast<const uint8_t*>(p); }

std::string AccessTo(const Memory& m, const Access& a, uint32_t offset) {
  return std::string(a.what) + VerbOf(a.write) + std::to_string(a.bytes) + " bytes at offset " +
         std::to_string(offset) + " of " + m.name();
}
}  // namespace

void MemCheck::CheckOwner(const Memory& m, const Access& a, uint32_t offset) {
  const uint8_t first = m.buffers.OwnerOf(offset),
                last = a.bytes ? m.buffers.OwnerOf(uint32_t(offset + a.bytes - 1)) : first;
  const NamedBuffer* buffer = m.buffers.Named(first);
  // A size that the kernel gives itself may be less than what it uses: no harm where nobody has the
  // bytes behind.
  if (buffer && buffer->placed) {
    if (first != last && !m.buffers.RunsIntoUnused(offset, a.bytes)) ReportOwner(m, a, offset);
  } else if (m.buffers.given() && (first == LiveBuffers::kNobody || first != last)) {
    ReportOwner(m, a, offset);
  }
  if (buffer && !buffer->shared &&
      buffer->GoneAt(now_.pipe == AKGEN_PIPE_S ? now_.calls : now_.number))
    ReportFreed(m, *buffer, a, offset);
}

// An access belongs to the buffer it starts in, whoever the bytes behind it belong to.
void MemCheck::ReportOwner(const Memory& m, const Access& a, uint32_t offset) {
  const bool nobodys = m.buffers.OwnerOf(offset) == LiveBuffers::kNobody;
  const bool unused = m.buffers.RunsIntoUnused(offset, a.bytes);
  out_.Report(
      FindingKind::kOutsideBuffer,
      AccessTo(m, a, offset) +
          (nobodys ? ", where no buffer was initialised" : " and leaves the buffer it starts in") +
          (unused ? ", into bytes that belong to no buffer" : ""),
      false, m, offset, a.bytes);
}

void MemCheck::ReportFreed(const Memory& m, const NamedBuffer& b, const Access& a,
                           uint32_t offset) {
  out_.OtherSide(b.freed_site, "FreeTensor", AKGEN_PIPE_S);
  out_.Report(FindingKind::kFreedBuffer,
              AccessTo(m, a, offset) +
                  ", in a buffer that FreeTensor has given back: whoever allocates it next may "
                  "overwrite it",
              true, m, offset, a.bytes);
}

void MemCheck::ReportMisaligned(const Memory& m, uint32_t at, size_t bytes, bool write,
                                uint32_t align, const char* what) {
  out_.Report(FindingKind::kUbMisaligned,
              std::string(what) + VerbOf(write) + m.name() + " at offset " + std::to_string(at) +
                  ", which is not a multiple of " + std::to_string(align) + " bytes",
              false, m, at, bytes);
}

void MemCheck::ReportOutside(const Memory& m, const Access& a, uint64_t offset) {
  const long at = long(offset);
  const bool near = at > -(1 << 22) && at < (1 << 22);
  const std::string name = m.name();
  out_.Report(near ? (m.over_budget ? FindingKind::kUbOverBudget : FindingKind::kUbOutOfBounds)
                   : FindingKind::kInvalidPointer,
              std::string(a.what) + VerbOf(a.write) + std::to_string(a.bytes) + " bytes at " +
                  name + " offset " + (near ? std::to_string(at) : "(no " + name + " address)") +
                  ", outside the " + m.row().title + " of " + std::to_string(m.bytes()) + " bytes",
              false, m, near ? uint64_t(at) : 0, a.bytes);
}

void MemCheck::ReportOutsideGm(const Access& a) {
  const std::string access = std::string(a.what) + VerbOf(a.write);
  Region* near = Gm().FindNear(a.at);
  if (!a.at)
    return out_.Report(FindingKind::kNullArgument, access + "through a null GM address", false,
                       "GM", 0, a.bytes);
  if (const std::string* freed = Gm().Find(a.at) ? nullptr : Gm().FindRemoved(a.at))
    return out_.Report(FindingKind::kGmOutOfBounds, access + "'" + *freed + "' after it was freed",
                       false, "GM:" + *freed, 0, a.bytes);
  if (!near)
    return out_.Report(FindingKind::kGmOutOfBounds,
                       access + "at an address that belongs to no tensor of the launch", false,
                       "GM", 0, a.bytes);
  const long at = long(BytesAt(a.at) - near->base);
  out_.Report(at < 0 ? FindingKind::kGmBeforeStart : FindingKind::kGmOutOfBounds,
              access + std::to_string(a.bytes) + " bytes at offset " + std::to_string(at) +
                  " of '" + near->name + "', which has " + std::to_string(near->bytes) + " bytes",
              false, "GM:" + near->name, uint64_t(at), a.bytes);
}

Region* MemCheck::OnGmAccess(const Access& a, size_t* usable) {
  const uint8_t* at = BytesAt(a.at);
  Region* r = Gm().Find(at);
  if (usable) *usable = a.bytes;
  const size_t left = r ? r->Extent() - size_t(at - r->base) : 0;
  if (!r || a.bytes > left) {
    ReportOutsideGm(a);
    if (!r || !usable) return nullptr;
    *usable = size_t(r->base + r->bytes > at ? r->base + r->bytes - at : 0);
  } else if (at + a.bytes > r->base + r->bytes) {
    out_.Report(FindingKind::kGmPadding,
                std::string(a.what) + VerbOf(a.write) +
                    std::to_string(at + a.bytes - (r->base + r->bytes)) +
                    " bytes behind the end of '" + r->name +
                    "', in the unused rest of its allocation",
                true, "GM:" + r->name, uint64_t(at - r->base), a.bytes);
  }
  if (a.write && !r->writable()) {
    out_.Report(FindingKind::kReadOnlyWrite,
                std::string(a.what) + " writes to '" + r->name + "', an input", false,
                "GM:" + r->name, uint64_t(at - r->base), a.bytes);
    return nullptr;
  }
  r->was_read |= !a.write;
  return r;
}

void MemCheck::OnOverlap(Region& r, size_t cell, size_t offset, size_t bytes, const uint8_t* data) {
  const size_t from = std::max(offset, cell * 32), to = std::min(offset + bytes, cell * 32 + 32);
  const size_t at = r.written.Find(from, to - from, true);
  if (at == SIZE_MAX) return;
  const Region::Visit& prior = *r.writes.At(cell);
  out_.OtherSide(prior.site, "earlier write", prior.pipe, int(prior.owner) - 1);
  bool known = data != nullptr,
       equal = true;  // a scalar store's value is not known here: a warning, as for equal bytes
  for (size_t i = at; known && equal && i < to; ++i)
    if (r.written.Bit(i) && r.base[i] != data[i - offset]) equal = false;
  out_.Report(FindingKind::kBlocksOverlap,
              "blocks " + std::to_string(prior.owner - 1) + " and " + std::to_string(now_.block) +
                  " both write '" + r.name + "' at offset " + std::to_string(at) +
                  " without atomics" +
                  (!known  ? " (scalar stores)"
                   : equal ? " (the same bytes)"
                           : ""),
              equal, "GM:" + r.name, at, to - at);
}

}  // namespace akgen::sim
