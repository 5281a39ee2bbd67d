#include "sim/check/gm_race_check.h"

#include <algorithm>
#include <cstring>

namespace akgen::sim {

// Is the last access of this block to a cell known to be complete? Scalar accesses follow each
// other; those through a tensor and the copies on tensors are ordered by the compiler, both ways;
// without it what the scalar unit has read is there before it issues anything.
bool GmRaceCheck::Ordered(const Region::Visit& visit, bool written, uint32_t pipe) {
  const uint32_t prior = visit.pipe, epoch = visit.epoch;
  const bool scalar = pipe == AKGEN_PIPE_S || pipe == kRawScalar;
  Clock& clock = pipes_[scalar ? uint32_t(AKGEN_PIPE_S) : pipe].clock;
  if (epoch == now_.epoch || epoch <= clock.at[prior]) return true;
  if (scalar && (prior == AKGEN_PIPE_S || prior == kRawScalar)) return true;
  if (!on_.auto_sync) return !scalar && prior == AKGEN_PIPE_S && !written;
  if (pipe == AKGEN_PIPE_S ? raw_.Was(epoch) : prior != AKGEN_PIPE_S || raw_.Was(now_.epoch))
    return false;
  if (scalar) clock.at[prior] = epoch;  // it waits for the copy, and so does what comes after it
  return true;
}

// Of another block: does this one know that it is over?
bool GmRaceCheck::HandedOver(const Region::Visit& v) const {
  return blocks_.Knows(v.owner - 1u, v.pipe, v.epoch, v.generation);
}

void GmRaceCheck::Order(Region& r, const Access& a, bool atomic, const uint8_t* data) {
  if (r.writes.empty()) {
    r.writes.Resize((r.Extent() + 31) / 32);
    r.written.Resize(r.Extent());
  }
  const size_t offset = size_t(static_cast<const uint8_t*>(a.at) - r.base);
  const size_t first = offset / 32, last = (offset + a.bytes - 1) / 32;
  const uint16_t me = uint16_t(now_.block + 1);
  Region::Lane &w = r.writes, &rd = r.reads;
  // Most tensors are only read or only written: their other lane stays empty and costs no memory.
  if (!a.write && rd.empty()) rd.Resize((r.Extent() + 31) / 32);
  const Region::Visit now{first,
                          last,
                          now_.epoch,
                          shared_.generation,
                          now_.site,
                          me,
                          uint8_t(offset % 32),
                          uint8_t((offset + a.bytes - 1) % 32 + 1),
                          uint8_t(a.pipe),
                          uint8_t(atomic),
                          a.cached};
  auto late = [&](const Region::Visit& v, bool written) {
    return v.owner == me ? !Ordered(v, written, a.pipe) : !HandedOver(v);
  };
  early_.clear();
  bool wrote = w.Any(first, last), read = !rd.empty() && rd.Any(first, last), reported = false;
  for (size_t i = first; (wrote || read) && i <= last && !reported; ++i) {
    const Region::Visit* v = wrote ? w.At(i) : nullptr;
    shared_.exchanged |= v && v->owner != me && v->In(i).Meets(now.In(i));
    if (v && v->In(i).Meets(now.In(i)) && late(*v, true) && !(atomic && v->atomic)) {
      const Region::Visit* own = !a.write && v->owner != me ? WroteTheSame(r, now, i) : nullptr;
      if (own && !late(*own, true)) continue;
      if (v->owner != me && a.write)
        mem_.OnOverlap(r, i, offset, a.bytes, data);
      else if (on_.race && !own && !a.write && v->owner != me && MayWaitFor(now, *v))
        early_.push_back(i);
      else if (on_.race)
        Report(r, a, own ? *own : *v, true, i), reported = true;
    }
    v = !reported && a.write && on_.race && read ? rd.At(i) : nullptr;
    shared_.exchanged |= v && v->owner != me && v->In(i).Meets(now.In(i));
    const bool look = v && v->atomic && v->owner != me;  // it waits for just this write
    if (!v || look || !v->In(i).Meets(now.In(i)) || !late(*v, false)) continue;
    if (v->owner != me && !atomic && ChangesNothing(r, a, i, data)) continue;
    const bool perhaps = v->owner != me && MayWaitFor(*v, now);
    Report(r, a, *v, false, i, perhaps);
    reported = !perhaps;
  }
  if (!early_.empty()) Report(r, a, *w.At(early_.front()), true, early_.front(), true);
  if (a.write && !reported) SharedLines(r, now);
  if (a.write && a.bytes <= kMaxOfAFlag) Publish(r, now);
  if (a.write && wrote) NoteAlike(r, now, a, data);
  (a.write ? w : rd).Add(now);
  if (a.write) r.written.Set(offset, a.bytes, true);
}

void GmRaceCheck::Publish(Region& r, const Region::Visit& now) {
  constexpr size_t kLimit = 4096;  // cells of a region
  r.publishes_much = r.publishes_much || r.published.size() >= kLimit;
  if (r.publishes_much) return;
  const BlockClock done = blocks_.Release(now_.block, pipes_.DoneBefore(now.pipe));
  for (size_t cell = now.first; cell <= now.last; ++cell) {
    Region::Published& p = r.published[uint32_t(cell)];
    const Region::Visit* last = r.writes.At(cell);
    if (!now.atomic && last && last->In(cell).Meets(now.In(cell))) p.known = {};
    p.known.Join(done);
    std::memcpy(p.before.data(), r.base + cell * 32, std::min<size_t>(32, r.Extent() - cell * 32));
  }
}

void GmRaceCheck::OnLook(const Region& r, const Access& a) {
  const size_t offset = size_t(static_cast<const uint8_t*>(a.at) - r.base);
  if (r.publishes_much)
    return blocks_.SeeAll(++shared_.generation);  // rather too much known than an alarm for nothing
  for (size_t cell = offset / 32; cell <= (offset + a.bytes - 1) / 32 && !r.published.empty();
       ++cell)
    if (auto it = r.published.find(uint32_t(cell)); it != r.published.end())
      blocks_.Acquire(it->second.known);
}

bool GmRaceCheck::ChangesNothing(const Region& r, const Access& a, size_t cell,
                                 const uint8_t* data) {
  const size_t begin = size_t(static_cast<const uint8_t*>(a.at) - r.base);
  const size_t from = std::max(begin, cell * 32), to = std::min(begin + a.bytes, cell * 32 + 32);
  return data && !std::memcmp(data + (from - begin), r.base + from, to - from);
}

const Region::Visit* GmRaceCheck::WroteTheSame(const Region& r, const Region::Visit& now,
                                               size_t cell) {
  const auto it = r.alike.find(uint32_t(cell));
  if (it == r.alike.end()) return nullptr;
  const auto own =
      std::find_if(it->second.rbegin(), it->second.rend(), [&](const Region::Visit& v) {
        return v.owner == now.owner && v.In(cell).Holds(now.In(cell));
      });
  return own == it->second.rend() ? nullptr : &*own;
}

void GmRaceCheck::NoteAlike(Region& r, const Region::Visit& now, const Access& a,
                            const uint8_t* data) {
  constexpr size_t kLimit = 1 << 16;  // cells of a region
  for (size_t cell = now.first; cell <= now.last; ++cell) {
    const Region::Visit* v = r.writes.At(cell);
    if (!v) continue;
    if (now.atomic || !ChangesNothing(r, a, cell, data)) {
      if (!r.alike.empty()) r.alike.erase(uint32_t(cell));
      continue;
    }
    auto it = r.alike.find(uint32_t(cell));
    if (it == r.alike.end()) {
      if (v->owner == now.owner || HandedOver(*v) || r.alike.size() >= kLimit) continue;
      it = r.alike.try_emplace(uint32_t(cell)).first;
      it->second.push_back(*v);
    }
    it->second.push_back(now);
  }
}

bool GmRaceCheck::MayWaitFor(const Region::Visit& read, const Region::Visit& write) {
  return read.pipe == AKGEN_PIPE_MTE2 && read.bytes() <= kMaxOfFlags &&
         write.bytes() <= kMaxOfAFlag;
}

void GmRaceCheck::GiveBefore(const Region& r, const Access& a, uint8_t* brought) {
  if (early_.empty() || !shared_.given_before.insert(a.at).second) return;
  const size_t begin = size_t(static_cast<const uint8_t*>(a.at) - r.base), end = begin + a.bytes;
  for (size_t cell : early_)
    if (auto it = r.published.find(uint32_t(cell)); it != r.published.end())
      for (size_t at = std::max(begin, cell * 32); at < std::min(end, cell * 32 + 32); ++at)
        brought[at - begin] = it->second.before[at - cell * 32];
}

// Two blocks write different bytes of one line of 64, one of them through its data cache, and
// nothing says who is first: the line that is written back later takes the other's bytes with it.
void GmRaceCheck::SharedLines(Region& r, const Region::Visit& now) {
  if (!on_.race) return;
  const size_t cells = (r.Extent() + 31) / 32;
  for (size_t at : {now.first / 2 * 2, now.last / 2 * 2})
    for (size_t cell = at; cell < std::min(at + 2, cells); ++cell) {
      const Region::Visit* v = r.writes.At(cell);
      const bool apart =
          v && (cell < now.first || cell > now.last || !v->In(cell).Meets(now.In(cell)));
      if (!apart || v->owner == now.owner || !(v->cached || now.cached) || HandedOver(*v)) continue;
      out_.OtherSide(v->site, "the other block's write", v->pipe, int(v->owner) - 1);
      out_.Report(FindingKind::kLineLost,
                  "blocks " + std::to_string(now_.block) + " and " + std::to_string(v->owner - 1) +
                      " write the same 64 bytes of '" + r.name + "' from offset " +
                      std::to_string(at * 32) +
                      ", SetValue through a line of the data cache that is written back as a "
                      "whole: which bytes are "
                      "left is a matter of time",
                  false, "GM:" + r.name, at * 32, 64);
      return;
    }
}

void GmRaceCheck::Report(const Region& r, const Access& a, const Region::Visit& prior,
                         bool prior_write, size_t cell, bool perhaps) {
  const bool mine = prior.owner == now_.block + 1;
  RawFinding f;
  f.kind = !a.write ? FindingKind::kRaceReadAfterWrite
                    : (prior_write ? FindingKind::kRaceWriteAfterWrite
                                   : FindingKind::kRaceWriteAfterRead);
  const std::string other =
      mine ? std::string(PipeName(prior.pipe)) : "block " + std::to_string(prior.owner - 1);
  f.message =
      (mine ? std::string(PipeName(a.pipe)) : "block " + std::to_string(now_.block)) +
      (a.write ? " writes '" : " reads '") + r.name + "' at offset " + std::to_string(cell * 32) +
      " while " + other + " may still " + (prior_write ? "write" : "read") +
      " it: " + (mine ? "nothing orders the two" : "no cross-core synchronisation lies between");
  f.site = out_.SiteAt(now_.site);
  f.other = out_.SiteAt(prior.site);
  f.what = a.write ? "write" : "read";
  f.other_what = prior_write ? "earlier write" : "earlier read";
  f.pipe = PipeName(a.pipe);
  f.other_pipe = PipeName(prior.pipe);
  f.block = int(now_.block);
  f.other_block = int(prior.owner) - 1;
  if (!mine)
    f.fix = "put SyncAll or a cross-core flag between the two, or give each block its own part";
  f.memory = "GM:" + r.name;
  f.address = cell * 32;
  f.bytes = 32;
  if (perhaps)
    out_.AddUnlessPolled(a.write ? r.base + prior.first * 32 + prior.from : a.at, std::move(f));
  else
    out_.Add(std::move(f));
}

}  // namespace akgen::sim
