#include "sim/check/init_check.h"

#include <algorithm>

namespace akgen::sim {
namespace {
// Those of the bytes just stored that are not defined were made of others that nobody wrote. In a
// launch that read none they are what an instruction left in the core beside its result, and the
// host may bring them along with it.
void NoteUnfounded(Region& r, size_t offset, size_t bytes) {
  if (r.unfounded.empty()) r.unfounded.Resize(r.Extent());
  r.unfounded.Set(offset, bytes, true);
}

std::string ReadsUndefined(const Access& a, uint64_t at, const std::string& where) {
  return std::string(a.what) + " reads " + std::to_string(a.bytes) + " bytes of " + where +
         " at offset " + std::to_string(at) + " that nothing defined";
}
}  // namespace

WrittenBy InitCheck::OriginOf(const Memory& m, size_t offset) const {
  if (uint32_t origin = m.origins.At(offset)) return m.origins[origin];
  const Conflict c = m.history.NearestWrite(uint32_t(offset), now_.born);
  return {c.site, c.pipe, int(now_.block), false};
}

void InitCheck::BlameShortWrite(const Memory& m, size_t offset) {
  if (uint32_t origin = m.origins.At(offset)) {
    const WrittenBy& by = m.origins[origin];
    return out_.OtherSide(
        by.site, "the nearest write to the Global Memory they come from, which leaves it out",
        by.pipe, by.block);
  }
  const Conflict c = m.history.NearestWrite(uint32_t(offset), now_.born);
  if (c.found)
    out_.OtherSide(c.site, "the nearest earlier write, which does not define them", c.pipe);
}

// An element of the result is undefined where a byte of one of its sources is. What is undefined
// comes in runs.
void InitCheck::Compute(Memory& m, const Operand* operands, int count, uint32_t n, Reach reach) {
  DefinedBits& defined = m.defined;
  bool all = true;
  for (int i = 0; i < count; ++i)
    if (operands[i].read) all = all && defined.Defined(operands[i].offset, operands[i].Bytes(n));
  const Operand& d = operands[0];
  if (all || reach == Reach::kNowhere) return defined.Set(d.offset, d.Bytes(n), true);
  struct Undefined {
    size_t from, to;  // elements
    size_t skipped;   // bytes of the first
    uint32_t origin;
  };
  std::vector<Undefined> runs;
  for (int i = 0; i < count; ++i) {
    const Operand& o = operands[i];
    if (!o.read) continue;
    const size_t base = o.offset, end = base + o.Bytes(n);
    for (size_t from = defined.Find(base, end - base, false); from != SIZE_MAX;) {
      const size_t next = defined.Find(from, end - from, true), to = next == SIZE_MAX ? end : next;
      const size_t first = (from - base) * 8 / o.bits;
      const size_t skipped = reach == Reach::kUpwards ? from - base - first * o.bits / 8 : 0;
      runs.push_back({first, ((to - base) * 8 + o.bits - 1) / o.bits, skipped, m.origins.At(from)});
      from = to < end ? defined.Find(to, end - to, false) : SIZE_MAX;
    }
  }
  defined.Set(d.offset, d.Bytes(n), true);
  for (const Undefined& u : runs) {
    const size_t first = u.from * d.bits / 8 + u.skipped, bytes = (u.to * d.bits + 7) / 8 - first;
    m.Undefine(d.offset + first, bytes, u.origin);
  }
}

void InitCheck::OnLoad(Memory& m, const Load& to, const Region& r, size_t offset) {
  if (!on_.init) return;
  if (to.bytes != to.total) m.defined.Set(to.at, to.total, to.pad_defined);
  const bool source = r.all_defined || r.defined.Defined(offset, to.bytes);
  shared_.read_unwritten |= !source;
  m.defined.Set(to.at + to.left, to.bytes, source);
  m.origins.Set(to.at, to.total,
                source ? 0 : m.origins.OfGm(r, r.defined.Find(offset, to.bytes, false)));
  if (!source)
    for (size_t i = 0; i < to.bytes; ++i)
      if (r.defined.Bit(offset + i)) m.defined.Set(to.at + to.left + i, 1, true);
}

void InitCheck::OnStore(const Memory& m, uint32_t at, size_t bytes, Region& r, size_t offset,
                        bool atomic) {
  if (!on_.init) return;
  const bool defined = m.defined.Defined(at, bytes);
  if (!defined && !r.origins.contains(now_.site))
    r.origins[now_.site] = OriginOf(m, m.defined.Find(at, bytes, false));
  Store(m.defined, at, bytes, r, offset, atomic);
}

void InitCheck::OnStoreMade(const Memory& m, uint32_t first, const DefinedBits& made, size_t bytes,
                            Region& r, size_t offset, bool atomic) {
  if (!on_.init) return;
  if (!made.Defined(0, bytes) && !r.origins.contains(now_.site))
    r.origins[now_.site] = OriginOf(m, first);
  Store(made, 0, bytes, r, offset, atomic);
}

void InitCheck::Store(const DefinedBits& from, uint32_t at, size_t bytes, Region& r, size_t offset,
                      bool atomic) {
  const bool defined = from.Defined(at, bytes);
  if (r.all_defined) {
    if (defined) return;
    r.all_defined = false;
    r.defined.Resize(r.Extent());
    r.defined.Fill(true);
  }
  if (!defined && shared_.read_unwritten) NoteUnfounded(r, offset, bytes);
  if (atomic) {  // adds to what is there: stays undefined unless both are defined
    for (size_t i = 0; !defined && i < bytes; ++i)
      if (!from.Bit(at + i)) r.defined.Set(offset + i, 1, false);
    return;
  }
  r.defined.Set(offset, bytes, defined);
  if (!defined)
    for (size_t i = 0; i < bytes; ++i)
      if (from.Bit(at + i)) r.defined.Set(offset + i, 1, true);
}

void InitCheck::OnMove(const Memory& m, uint32_t from, Memory& to_memory, uint32_t to,
                       size_t bytes) {
  if (!on_.init) return;
  if (m.defined.Defined(from, bytes)) return to_memory.defined.Set(to, bytes, true);
  std::vector<bool> source(bytes);  // which the destination may lie on
  for (size_t i = 0; i < bytes; ++i) source[i] = m.defined.Bit(from + i);
  to_memory.origins.Set(to, bytes,
                        to_memory.origins.Brought(m.origins, m.defined.Find(from, bytes, false)));
  to_memory.defined.Set(to, bytes, false);
  for (size_t i = 0; i < bytes; ++i)
    if (source[i]) to_memory.defined.Set(to + i, 1, true);
}

void InitCheck::OnScalar(Memory& m, const Access& a) {
  if (!on_.init) return;
  const uint32_t at = m.OffsetOf(a.at);
  if (a.write) return m.defined.Set(at, a.bytes, true);
  if (m.defined.Defined(at, a.bytes)) return;
  BlameShortWrite(m, at);
  if (m.history.Wrote(AKGEN_PIPE_V, uint32_t(m.defined.Find(at, a.bytes, false)), now_.born))
    out_.Made();
  out_.Report(FindingKind::kUndefinedScalar, ReadsUndefined(a, at, m.name()), false, m, at,
              a.bytes);
}

void InitCheck::OnScalarGm(Region& r, const Access& a) {
  const size_t at = size_t(static_cast<const uint8_t*>(a.at) - r.base);
  if (a.write) {
    if (!r.all_defined) r.defined.Set(at, a.bytes, true);
  } else if (on_.init && !r.all_defined && !r.defined.Defined(at, a.bytes)) {
    out_.Report(FindingKind::kUndefinedScalar, ReadsUndefined(a, at, "'" + r.name + "'"), false,
                "GM:" + r.name, at, a.bytes);
  }
}

bool InitCheck::OnOffsets(const Memory& m, uint32_t at, size_t bytes, const char* what) {
  if (!on_.init || m.defined.Defined(at, bytes)) return true;
  BlameShortWrite(m, m.defined.Find(at, bytes, false));
  out_.Report(FindingKind::kUndefinedOffset,
              std::string(what) + " takes offsets from " + std::to_string(bytes) + " bytes of " +
                  m.name() + " at offset " + std::to_string(at) + " that are not all defined",
              false, m, at, bytes);
  return false;
}

void InitCheck::OnRegister(bool undefined, const char* what) {
  if (on_.init && undefined)
    out_.Report(FindingKind::kUndefinedScalar,
                std::string(what) + " reads a result that undefined data went into");
}

}  // namespace akgen::sim
