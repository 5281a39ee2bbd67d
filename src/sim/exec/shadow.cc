#include "sim/exec/shadow.h"

#include <algorithm>

#include "akgen/abi.h"

namespace akgen::sim {
namespace {
constexpr uint32_t kSlotPipe[kUbPipes] = {AKGEN_PIPE_S, AKGEN_PIPE_V, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3};

uint32_t HeadMask(size_t offset) { return ~0u << (offset & 31); }
uint32_t TailMask(size_t end) { return (end & 31) ? ~0u >> (32 - (end & 31)) : ~0u; }
}  // namespace

int UbPipeSlot(uint32_t pipe) {
  switch (pipe) {
    case AKGEN_PIPE_S: return 0;
    case AKGEN_PIPE_V: return 1;
    case AKGEN_PIPE_MTE2: return 2;
    case AKGEN_PIPE_MTE3: return 3;
    default: return -1;
  }
}

void DefinedBits::Fill(bool defined) { std::fill(words_.begin(), words_.end(), defined ? ~0u : 0u); }

bool DefinedBits::Defined(size_t offset, size_t bytes) const {
  if (bytes == 0) return true;
  size_t end = offset + bytes, w = offset >> 5, last = (end - 1) >> 5;
  uint32_t head = HeadMask(offset), tail = TailMask(end);
  if (w == last) return (~words_[w] & head & tail) == 0;
  if ((~words_[w] & head) || (~words_[last] & tail)) return false;
  uint32_t all = ~0u;
  for (size_t i = w + 1; i < last; ++i) all &= words_[i];
  return all == ~0u;
}

void DefinedBits::Set(size_t offset, size_t bytes, bool defined) {
  if (bytes == 0) return;
  size_t end = offset + bytes, w = offset >> 5, last = (end - 1) >> 5;
  uint32_t head = HeadMask(offset), tail = TailMask(end);
  auto apply = [&](size_t i, uint32_t m) { words_[i] = defined ? words_[i] | m : words_[i] & ~m; };
  if (w == last) return apply(w, head & tail);
  apply(w, head);
  apply(last, tail);
  std::fill(words_.begin() + long(w) + 1, words_.begin() + long(last), defined ? ~0u : 0u);
}

size_t DefinedBits::Find(size_t offset, size_t bytes, bool value) const {
  size_t end = offset + bytes;
  for (size_t i = offset; i < end;) {
    uint32_t w = value ? words_[i >> 5] : ~words_[i >> 5];
    w &= HeadMask(i);
    if (w) {
      size_t at = (i & ~size_t{31}) + size_t(__builtin_ctz(w));
      return at < end ? at : SIZE_MAX;
    }
    i = (i | 31) + 1;
  }
  return SIZE_MAX;
}

void AccessHistory::Resize(size_t bytes) {
  size_t n = bytes / kBlockBytes;
  for (int s = 0; s < kUbPipes; ++s)
    for (Lane* l : {&reads_[s], &writes_[s]}) {
      l->epoch.assign(n, 0);
      l->site.assign(n, 0);
    }
}

bool AccessHistory::AnyAfter(const Lane& lane, uint32_t first, uint32_t last, uint32_t known, uint32_t now) {
  if (lane.latest <= known) return false;
  uint32_t any = 0;
  const uint32_t* e = lane.epoch.data();
  for (uint32_t b = first; b <= last; ++b) any |= uint32_t(e[b] > known) & uint32_t(e[b] != now);
  return any != 0;
}

Conflict AccessHistory::Locate(const Lane& lane, uint32_t first, uint32_t last, uint32_t known, uint32_t now,
                               uint32_t slot, bool write) const {
  for (uint32_t b = first; b <= last; ++b)
    if (lane.epoch[b] > known && lane.epoch[b] != now) return {true, write, kSlotPipe[slot], lane.epoch[b], lane.site[b], b};
  return {};
}

void AccessHistory::Stamp(Lane& lane, uint32_t first, uint32_t last, uint32_t epoch, uint32_t site) {
  lane.latest = epoch;
  std::fill(lane.epoch.begin() + first, lane.epoch.begin() + last + 1, epoch);
  std::fill(lane.site.begin() + first, lane.site.begin() + last + 1, site);
}

Conflict AccessHistory::Read(uint32_t first, uint32_t last, uint32_t pipe, const Clock& clock, uint32_t epoch,
                             uint32_t site) {
  Conflict c;
  for (uint32_t s = 0; s < kUbPipes && !c.found; ++s)
    if (AnyAfter(writes_[s], first, last, clock.at[kSlotPipe[s]], epoch))
      c = Locate(writes_[s], first, last, clock.at[kSlotPipe[s]], epoch, s, true);
  Stamp(reads_[UbPipeSlot(pipe)], first, last, epoch, site);
  return c;
}

Conflict AccessHistory::Write(uint32_t first, uint32_t last, uint32_t pipe, const Clock& clock, uint32_t epoch,
                              uint32_t site) {
  Conflict c;
  for (uint32_t s = 0; s < kUbPipes && !c.found; ++s) {
    uint32_t known = clock.at[kSlotPipe[s]];
    if (AnyAfter(writes_[s], first, last, known, epoch)) c = Locate(writes_[s], first, last, known, epoch, s, true);
    else if (kSlotPipe[s] != pipe && AnyAfter(reads_[s], first, last, known, epoch))
      c = Locate(reads_[s], first, last, known, epoch, s, false);
  }
  Stamp(writes_[UbPipeSlot(pipe)], first, last, epoch, site);
  return c;
}

}  // namespace akgen::sim
