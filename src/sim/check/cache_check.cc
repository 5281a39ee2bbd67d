#include "sim/check/cache_check.h"

#include <algorithm>

namespace akgen::sim {
namespace {

// Calls each(line, bytes of it) for the lines that an access meets.
template <class F>
void ForEachLine(const Region& r, const Access& a, F each) {
  const size_t begin = size_t(static_cast<const uint8_t*>(a.at) - r.base), end = begin + a.bytes;
  for (size_t at = begin; at < end;) {
    const size_t line = at / kLineBytes, next = std::min(end, (line + 1) * kLineBytes);
    each(line, BytesOfLine(at % kLineBytes, next - at));
    at = next;
  }
}

std::string Where(const Region& r, size_t line, uint64_t bytes) {
  return "'" + r.name + "' at offset " +
         std::to_string(line * kLineBytes + size_t(std::countr_zero(bytes)));
}

}  // namespace

void CacheCheck::WrittenElsewhere(std::vector<CachedLine>& holders, uint64_t bytes, bool own_too) {
  for (CachedLine& l : holders) {
    if (l.block == now_.block && !own_too) continue;
    l.behind |= bytes;
    l.elsewhere = {now_.site, now_.pipe, int(now_.block)};
  }
}

void CacheCheck::OnScalar(Region& r, const Access& a, bool waits) {
  ForEachLine(r, a, [&](size_t line, uint64_t bytes) {
    if (std::vector<CachedLine>* holders = a.write || waits ? nullptr : caches_.Find(r, line))
      for (const CachedLine& l : *holders)
        if (l.block != now_.block && (l.dirty & bytes))
          return ReportUnwritten(r, a, l, line, l.dirty & bytes);
    CachedLine& mine = caches_.Load(r, line, now_.block);
    if (a.write) {
      mine.dirty |= bytes;
      mine.behind &= ~bytes;
      mine.stored = {now_.site, AKGEN_PIPE_S, int(now_.block)};
    } else if (mine.behind & bytes & ~mine.dirty) {
      ReportOutdated(r, a, mine, line, mine.behind & bytes & ~mine.dirty);
      mine.behind &= ~bytes;  // said once
    }
  });
}

void CacheCheck::OnUncached(Region& r, const Access& a, bool waits) {
  ForEachLine(r, a, [&](size_t line, uint64_t bytes) {
    std::vector<CachedLine>* holders = caches_.Find(r, line);
    if (!holders) return;
    if (a.write) return WrittenElsewhere(*holders, bytes, true);
    if (waits) return;
    for (CachedLine& l : *holders)
      if (l.dirty & bytes) return ReportUnwritten(r, a, l, line, l.dirty & bytes);
  });
}

void CacheCheck::OnClean(const void* from) {
  Region* r = on_.race && !caches_.empty() ? Gm().Find(from) : nullptr;
  const size_t at = r ? size_t(static_cast<const uint8_t*>(from) - r->base) : 0;
  if (r && at < r->Extent())
    Clean(*r, at / kLineBytes, BytesOfLine(at % kLineBytes, kLineBytes - at % kLineBytes));
}

void CacheCheck::OnCleanAll() {
  if (!on_.race || caches_.empty()) return;
  const std::vector<DataCaches::Place> places = caches_.HeldBy(now_.block);
  for (const auto& r : Gm().regions())
    for (const DataCaches::Place& p : places)
      if (p.serial == r->serial) Clean(*r, p.line, ~uint64_t{0});
}

// A whole line is written, whichever bytes of it were stored to: what others wrote into it since is
// lost.
void CacheCheck::Clean(Region& r, size_t line, uint64_t bytes) {
  std::vector<CachedLine>* holders = caches_.Find(r, line);
  if (!holders) return;
  auto mine = std::find_if(holders->begin(), holders->end(),
                           [&](const CachedLine& l) { return l.block == now_.block; });
  if (mine == holders->end()) return;
  if (const uint64_t written = mine->dirty & bytes) {
    if (const uint64_t lost = mine->behind & bytes) ReportLost(r, *mine, line, lost);
    WrittenElsewhere(*holders, written, false);
  }
  mine->dirty &= ~bytes;
  mine->behind &= ~bytes;
  if (bytes == ~uint64_t{0}) caches_.Drop(r, line, now_.block);
}

void CacheCheck::ReportUnwritten(const Region& r, const Access& a, const CachedLine& l, size_t line,
                                 uint64_t bytes) {
  const std::string whose =
      l.block == now_.block ? "this core" : "block " + std::to_string(l.block);
  out_.OtherSide(l.stored.site, "the store that is still in the data cache", AKGEN_PIPE_S,
                 l.stored.block);
  out_.Report(FindingKind::kNotWrittenBack,
              std::string(a.what) + " reads " + Where(r, line, bytes) +
                  ", where the newest bytes are in the data cache of " + whose +
                  ": nothing has written them back",
              false, "GM:" + r.name, line * kLineBytes + size_t(std::countr_zero(bytes)),
              size_t(std::popcount(bytes)));
}

void CacheCheck::ReportOutdated(const Region& r, const Access& a, const CachedLine& l, size_t line,
                                uint64_t bytes) {
  out_.OtherSide(l.elsewhere.site, "the later write", l.elsewhere.pipe, l.elsewhere.block);
  out_.Report(FindingKind::kOutdatedLine,
              std::string(a.what) + " reads " + Where(r, line, bytes) +
                  " from a line of the data cache that came in before these bytes were written",
              false, "GM:" + r.name, line * kLineBytes + size_t(std::countr_zero(bytes)),
              size_t(std::popcount(bytes)));
}

void CacheCheck::ReportLost(const Region& r, const CachedLine& l, size_t line, uint64_t bytes) {
  RawFinding f;
  f.kind = FindingKind::kLineLost;
  f.message =
      "the line of " + Where(r, line, bytes) + " is written back as a whole, over bytes that " +
      (l.elsewhere.block == int(now_.block) ? "a copy of the same block"
                                            : "block " + std::to_string(l.elsewhere.block)) +
      " wrote after it had come in";
  f.site = out_.SiteAt(l.stored.site);
  f.other = out_.SiteAt(l.elsewhere.site);
  f.what = "SetValue";
  f.other_what = "the write that is lost";
  f.pipe = PipeName(AKGEN_PIPE_S);
  f.other_pipe = PipeName(l.elsewhere.pipe);
  f.block = int(now_.block);
  f.other_block = l.elsewhere.block;
  f.memory = "GM:" + r.name;
  f.address = line * kLineBytes + size_t(std::countr_zero(bytes));
  f.bytes = size_t(std::popcount(bytes));
  out_.Add(std::move(f));
}

}  // namespace akgen::sim
