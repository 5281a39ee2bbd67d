#include "sim/check/race_check.h"

namespace akgen::sim {

void RaceCheck::Reset() {
  pending_.clear();
  raw_.Reset();
}

void RaceCheck::Order(Memory& m, const Access& a) {
  const Clock& clock = pipes_[a.pipe].clock;
  const uint32_t offset = m.OffsetOf(a.at);
  if (!a.write) {
    const Conflict c = m.history.Read(offset, a.bytes, a.pipe, clock, now_.epoch, now_.site);
    if (c.found) Report(m, c, a, false);
    return;
  }
  Pending race;
  race.conflict =
      m.history.Write(offset, a.bytes, a.pipe, clock, now_.epoch, now_.site, &race.contested);
  if (!race.conflict.found) return;
  if (a.lost || a.pipe != AKGEN_PIPE_V) return Report(m, race.conflict, a, false);
  race.memory = &m;
  race.access = a;
  race.before.assign(m.At(offset), m.At(offset) + a.bytes);
  pending_.push_back(std::move(race));
}

// A vector instruction that leaves every contested byte as it was cannot be told from one that did
// not run: it only warns. (A copy that brings equal bytes does so by the luck of its data.)
void RaceCheck::Settle() {
  for (const Pending& r : pending_) {
    const uint32_t offset = r.memory->OffsetOf(r.access.at);
    const bool same = std::all_of(r.contested.begin(), r.contested.end(), [&](ByteRange b) {
      return std::memcmp(r.memory->At(b.from), r.before.data() + (b.from - offset),
                         b.to - b.from) == 0;
    });
    Report(*r.memory, r.conflict, r.access, same);
  }
  pending_.clear();
}

RaceCheck::Scalar RaceCheck::OnScalarAccess(Memory& m, const Access& a, Conflict* after) {
  Clock clock = pipes_[AKGEN_PIPE_S].clock;
  clock.at[AKGEN_PIPE_S] = clock.at[kRawScalar] = now_.epoch;  // scalar accesses follow each other
  const uint32_t offset = m.OffsetOf(a.at);
  *after = a.write ? m.history.Write(offset, a.bytes, a.pipe, clock, now_.epoch, now_.site)
                   : m.history.Read(offset, a.bytes, a.pipe, clock, now_.epoch, now_.site);
  if (!after->found) return Scalar::kOrdered;
  if (a.pipe == AKGEN_PIPE_S && on_.auto_sync && !raw_.Was(after->epoch)) return Scalar::kWaits;
  Report(m, *after, a, false);
  return Scalar::kRaces;
}

void RaceCheck::Report(const Memory& m, const Conflict& c, const Access& a, bool same) {
  const uint32_t offset = m.OffsetOf(a.at);
  RawFinding f;
  f.kind = !a.write ? FindingKind::kRaceReadAfterWrite
                    : (c.prior_is_write ? FindingKind::kRaceWriteAfterWrite
                                        : FindingKind::kRaceWriteAfterRead);
  f.message = std::string(PipeName(a.pipe)) + (a.write ? " writes " : " reads ") + m.name() +
              " at " + std::to_string(c.at) + " (" + a.what + ") while " + PipeName(c.pipe) +
              " may still " + (c.prior_is_write ? "write" : "read") +
              " it: nothing orders the two" + (same ? " (the bytes stay the same)" : "");
  f.warning = same;
  f.site = out_.SiteAt(now_.site);
  f.other = out_.SiteAt(c.site);
  f.what = a.what;
  f.other_what = c.prior_is_write ? "earlier write" : "earlier read";
  f.pipe = PipeName(a.pipe);
  f.other_pipe = PipeName(c.pipe);
  f.block = f.other_block = int(now_.block);
  f.memory = m.name();
  f.buffer = m.buffers.NameAt(offset);
  f.address = offset;
  f.bytes = a.bytes;
  out_.Add(std::move(f));
}

}  // namespace akgen::sim
