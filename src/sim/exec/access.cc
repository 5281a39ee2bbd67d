// Bounds, alignment and ordering of single accesses to UB and GM.
#include <algorithm>
#include <cstring>

#include "sim/exec/launch_state.h"

namespace akgen::sim {
namespace {
std::string Range(uint64_t at, uint64_t bytes) {
  return std::to_string(bytes) + " bytes at offset " + std::to_string(at);
}
uint32_t GenerationNow() { return g_launch->generation; }
}  // namespace

// An access belongs to the buffer it starts in. What it touches behind that buffer decides: bytes of another buffer are
// that buffer's data; bytes that no buffer was given hold nothing (operands are bound by the physical memory only), so
// a run into them cannot hurt and only warns. What is read there is undefined, as AK1101 and AK1102 tell.
void Core::ReportOwner(const Memory& m, uint32_t at, size_t bytes, const std::string& access) {
  const bool nobodys = m.buffers.OwnerOf(at) == LiveBuffers::kNobody;
  const bool unused = m.buffers.RunsIntoUnused(at, bytes);
  Report(FindingKind::kOutsideBuffer,
         access + " of " + m.name() +
             (nobodys ? ", where no buffer was initialised" : " and leaves the buffer it starts in") +
             (unused ? ", into bytes that belong to no buffer" : ""),
         unused, m, at, bytes);
}

void Core::EndTurn(Buffer& b, uint32_t site) {
  b.state = BufferState::kFree;
  b.site = site;
  b.filled_once = true;
  NamedBuffer* named = b.memory->buffers.Named(b.id);
  if (!named) return;
  named->freed = ++state_.number;
  named->freed_site = site;
}

void Core::BeginTurn(const Buffer& b) {
  if (NamedBuffer* named = b.memory->buffers.Named(b.id)) named->allocated = ++state_.number;
}

void Core::ReportFreed(const Memory& m, const NamedBuffer& b, uint32_t at, size_t bytes, const std::string& access) {
  OtherSide(b.freed_site, "FreeTensor", AKGEN_PIPE_S);
  Report(FindingKind::kFreedBuffer,
         access + " of " + m.name() +
             ", in a buffer that FreeTensor has given back: whoever allocates it next may overwrite it",
         true, m, at, bytes);
}

void Core::CheckAlignment(const Memory& m, uint32_t at, size_t bytes, bool write, uint32_t align, const char* what) {
  if (at % align)
    Report(FindingKind::kUbMisaligned,
           std::string(what) + (write ? " writes " : " reads ") + m.name() + " at offset " + std::to_string(at) +
               ", which is not a multiple of " + std::to_string(align) + " bytes",
           false, m, at, bytes);
}

bool Core::CheckAccess(const Memory& m, const void* address, size_t bytes, bool write, uint32_t align,
                       const char* what) {
  const uint8_t* a = static_cast<const uint8_t*>(address);
  const char* verb = write ? " writes " : " reads ";
  // Distances, not sums: an address may be anything.
  const uint64_t offset = uint64_t(a - m.base());
  if (offset > m.bytes() || bytes > m.bytes() - offset) {
    long at = long(offset);
    bool near = at > -(1 << 22) && at < (1 << 22);
    const std::string name = m.name();
    Report(near ? (m.over_budget ? FindingKind::kUbOverBudget : FindingKind::kUbOutOfBounds)
                : FindingKind::kInvalidPointer,
           std::string(what) + verb + std::to_string(bytes) + " bytes at " + name + " offset " +
               (near ? std::to_string(at) : "(no " + name + " address)") + ", outside the " + m.row().title + " of " +
               std::to_string(m.bytes()) + " bytes",
           false, m, near ? uint64_t(at) : 0, bytes);
    return false;
  }
  uint32_t at = uint32_t(offset);
  if (align > 1) CheckAlignment(m, at, bytes, write, align, what);
  if (at == m.bytes()) return true;  // no bytes behind the last
  if (!m.buffers.given() || !checks_.memory) return true;
  const uint8_t first = m.buffers.OwnerOf(at), last = bytes ? m.buffers.OwnerOf(uint32_t(at + bytes - 1)) : first;
  if (first == LiveBuffers::kNobody || first != last)
    ReportOwner(m, at, bytes, std::string(what) + verb + Range(at, bytes));
  const NamedBuffer* buffer = m.buffers.Named(first);
  if (buffer && !buffer->shared && buffer->GoneAt(current_pipe_ == AKGEN_PIPE_S ? state_.number : current_number_))
    ReportFreed(m, *buffer, at, bytes, std::string(what) + verb + Range(at, bytes));
  return true;
}

void Core::Touch(Memory& m, uint32_t offset, size_t bytes, bool write, uint32_t pipe, const char* what, bool lost) {
  if (!checks_.race || bytes == 0) return;
  const Clock& clock = pipes_[pipe].clock;
  if (!write) {
    Conflict c = m.history.Read(offset, bytes, pipe, clock, epoch_, current_site_);
    if (c.found) ReportRace(m, c, false, pipe, offset, bytes, what, false);
    return;
  }
  PendingRace race;
  race.conflict = m.history.Write(offset, bytes, pipe, clock, epoch_, current_site_, &race.contested);
  if (!race.conflict.found) return;
  if (lost || pipe != AKGEN_PIPE_V) return ReportRace(m, race.conflict, true, pipe, offset, bytes, what, false);
  race.memory = &m, race.pipe = pipe, race.offset = offset, race.bytes = bytes, race.what = what;
  race.before.assign(m.At(offset), m.At(offset) + bytes);
  pending_races_.push_back(std::move(race));
}

// A vector instruction that leaves every contested byte as it was cannot be told from one that did not run: it only
// warns. (A copy that brings equal bytes does so by the luck of its data.)
void Core::SettleRaces() {
  for (const PendingRace& r : pending_races_) {
    bool same = std::all_of(r.contested.begin(), r.contested.end(), [&](ByteRange b) {
      return std::memcmp(r.memory->At(b.from), r.before.data() + (b.from - r.offset), b.to - b.from) == 0;
    });
    ReportRace(*r.memory, r.conflict, true, r.pipe, r.offset, r.bytes, r.what, same);
  }
  pending_races_.clear();
}

void Core::ReportOutsideGm(const void* address, size_t bytes, const char* verb, const char* what) {
  const uint8_t* a = static_cast<const uint8_t*>(address);
  Region* near = Gm().FindNear(a);
  if (!a)
    return Report(FindingKind::kNullArgument, std::string(what) + verb + "through a null GM address", false, "GM", 0,
                  bytes);
  if (const std::string* freed = Gm().Find(a) ? nullptr : Gm().FindRemoved(a))
    return Report(FindingKind::kGmOutOfBounds, std::string(what) + verb + "'" + *freed + "' after it was freed", false,
                  "GM:" + *freed, 0, bytes);
  if (!near)
    return Report(FindingKind::kGmOutOfBounds,
                  std::string(what) + verb + "at an address that belongs to no tensor of the launch", false, "GM", 0,
                  bytes);
  long at = long(a - near->base);
  Report(FindingKind::kGmOutOfBounds,
         std::string(what) + verb + std::to_string(bytes) + " bytes at offset " + std::to_string(at) + " of '" +
             near->name + "', which has " + std::to_string(near->bytes) + " bytes",
         false, "GM:" + near->name, uint64_t(at), bytes);
}

Region* Core::CheckGm(const void* address, size_t bytes, bool write, const char* what, size_t* usable) {
  const uint8_t* a = static_cast<const uint8_t*>(address);
  Region* r = Gm().Find(a);
  const char* verb = write ? " writes " : " reads ";
  if (usable) *usable = bytes;
  const size_t left = r ? r->Extent() - size_t(a - r->base) : 0;
  if (!r || bytes > left) {
    ReportOutsideGm(address, bytes, verb, what);
    if (!r || !usable) return nullptr;
    *usable = size_t(r->base + r->bytes > a ? r->base + r->bytes - a : 0);
  } else if (a + bytes > r->base + r->bytes)
    Report(FindingKind::kGmPadding,
           std::string(what) + verb + std::to_string(a + bytes - (r->base + r->bytes)) + " bytes behind the end of '" +
               r->name + "', in the unused rest of its allocation",
           true, "GM:" + r->name, uint64_t(a - r->base), bytes);
  if (write && !r->writable()) {
    Report(FindingKind::kReadOnlyWrite, std::string(what) + " writes to '" + r->name + "', an input", false,
           "GM:" + r->name, uint64_t(a - r->base), bytes);
    return nullptr;
  }
  r->was_read |= !write;
  return r;
}

void Core::ReportGmRace(Region& r, bool write, bool prior_write, size_t cell, uint32_t pipe) {
  const Region::Visit& prior = *(prior_write ? r.writes : r.reads).At(cell);
  const uint32_t prior_pipe = prior.pipe;
  bool mine = prior.owner == block_ + 1;
  RawFinding f;
  f.kind = !write ? FindingKind::kRaceReadAfterWrite
                  : (prior_write ? FindingKind::kRaceWriteAfterWrite : FindingKind::kRaceWriteAfterRead);
  std::string other = mine ? std::string(PipeName(prior_pipe)) : "block " + std::to_string(prior.owner - 1);
  f.message = (mine ? std::string(PipeName(pipe)) : "block " + std::to_string(block_)) +
              (write ? " writes '" : " reads '") + r.name + "' at offset " + std::to_string(cell * 32) + " while " +
              other + " may still " + (prior_write ? "write" : "read") +
              " it: " + (mine ? "nothing orders the two" : "no cross-core synchronisation lies between");
  f.site = sites_[current_site_];
  f.other = sites_[prior.site];
  f.what = write ? "write" : "read";
  f.other_what = prior_write ? "earlier write" : "earlier read";
  f.pipe = PipeName(pipe);
  f.other_pipe = PipeName(prior_pipe);
  f.block = int(block_);
  f.other_block = int(prior.owner) - 1;
  if (!mine) f.fix = "put SyncAll or a cross-core flag between the two, or give each block its own part";
  f.memory = "GM:" + r.name;
  f.address = cell * 32;
  f.bytes = 32;
  log_.Add(std::move(f));
}

// Two blocks write the same bytes. Equal bytes are harmless (a warning), different ones make the result a matter of
// luck.
void Core::ReportOverlap(Region& r, size_t cell, size_t offset, size_t bytes, const uint8_t* data) {
  size_t from = std::max(offset, cell * 32), to = std::min(offset + bytes, cell * 32 + 32);
  size_t at = r.written.Find(from, to - from, true);
  if (at == SIZE_MAX) return;
  const Region::Visit& prior = *r.writes.At(cell);
  OtherSide(prior.site, "earlier write", prior.pipe, int(prior.owner) - 1);
  bool known = data != nullptr,
       equal = true;  // a scalar store's value is not known here: a warning, as for equal bytes
  for (size_t i = at; known && equal && i < to; ++i)
    if (r.written.Bit(i) && r.base[i] != data[i - offset]) equal = false;
  Report(FindingKind::kBlocksOverlap,
         "blocks " + std::to_string(prior.owner - 1) + " and " + std::to_string(block_) + " both write '" + r.name +
             "' at offset " + std::to_string(at) + " without atomics" +
             (!known  ? " (scalar stores)"
              : equal ? " (the same bytes)"
                      : ""),
         equal, "GM:" + r.name, at, to - at);
}

// Is the last access of this block to a cell known to be complete? Scalar accesses follow each other; those through a
// tensor and the copies on tensors are ordered by the compiler, both ways.
bool Core::GmOrdered(const Region::Visit& visit, uint32_t pipe) {
  const uint32_t prior = visit.pipe, epoch = visit.epoch;
  const bool scalar = pipe == AKGEN_PIPE_S || pipe == kRawScalar;
  Clock& clock = pipes_[scalar ? uint32_t(AKGEN_PIPE_S) : pipe].clock;
  if (epoch == epoch_ || epoch <= clock.at[prior]) return true;
  if (scalar && (prior == AKGEN_PIPE_S || prior == kRawScalar)) return true;
  if (pipe == AKGEN_PIPE_S ? WasRaw(epoch) : prior != AKGEN_PIPE_S || WasRaw(epoch_)) return false;
  if (scalar) clock.at[prior] = epoch;  // it waits for the copy, and so does what comes after it
  return true;
}

void Core::TouchGm(Region& r, size_t offset, size_t bytes, bool write, uint32_t pipe, bool atomic,
                   const uint8_t* data) {
  if (bytes == 0 || !r.writable() || !(checks_.race || checks_.memory || checks_.init)) return;
  if (r.writes.empty()) {
    r.writes.Resize((r.Extent() + 31) / 32);
    r.written.Resize(r.Extent());
  }
  size_t first = offset / 32, last = (offset + bytes - 1) / 32;
  const uint16_t me = uint16_t(block_ + 1);
  Region::Lane &w = r.writes, &rd = r.reads;
  // Most tensors are only read or only written: their other lane stays empty and costs no memory.
  if (!write && rd.empty()) rd.Resize((r.Extent() + 31) / 32);
  const Region::Visit now{first,
                          last,
                          epoch_,
                          GenerationNow(),
                          current_site_,
                          me,
                          uint8_t(offset % 32),
                          uint8_t((offset + bytes - 1) % 32 + 1),
                          uint8_t(pipe),
                          uint8_t(atomic)};
  auto late = [&](const Region::Visit& v) {
    return v.owner == me ? !GmOrdered(v, pipe) : v.generation >= SeenOf(v.owner - 1u);
  };
  bool wrote = w.Any(first, last), read = !rd.empty() && rd.Any(first, last), reported = false;
  for (size_t i = first; (wrote || read) && i <= last && !reported; ++i) {
    const Region::Visit* v = wrote ? w.At(i) : nullptr;
    if (v && v->In(i).Meets(now.In(i)) && late(*v) && !(atomic && v->atomic)) {
      if (v->owner != me && write) ReportOverlap(r, i, offset, bytes, data);
      else if (checks_.race) ReportGmRace(r, write, true, i, pipe), reported = true;
    }
    v = !reported && write && checks_.race && read ? rd.At(i) : nullptr;
    const bool look = v && v->atomic && v->owner != me;  // it waits for just this write
    if (v && !look && v->In(i).Meets(now.In(i)) && late(*v)) ReportGmRace(r, write, false, i, pipe), reported = true;
  }
  (write ? w : rd).Add(now);
  if (write) r.written.Set(offset, bytes, true);
}

}  // namespace akgen::sim
