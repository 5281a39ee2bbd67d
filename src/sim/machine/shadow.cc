#include "sim/machine/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "akgen/abi.h"

namespace akgen::sim {
namespace {
uint32_t HeadMask(size_t offset) { return ~0u << (offset & 31); }
uint32_t TailMask(size_t end) { return (end & 31) ? ~0u >> (32 - (end & 31)) : ~0u; }
}  // namespace

namespace {
constexpr size_t kHugePage = 2 << 20;
constexpr size_t kMapped =
    128 << 10;  // of what calloc takes from its heap, it zeroes and thereby touches every page
// What is mapped for that many bytes: of large ones whole huge pages, wherever they begin.
size_t Mapped(size_t bytes) {
  return bytes < kHugePage ? bytes : (bytes + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
}
}  // namespace

void* AllocateZeros(size_t bytes) {
  if (bytes < kMapped) {
    if (void* p = std::calloc(bytes, 1)) return p;
    throw std::bad_alloc();
  }
  void* p = ::mmap(nullptr, Mapped(bytes), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= kHugePage) ::madvise(p, Mapped(bytes), MADV_HUGEPAGE);
  return p;
}

void FreeZeros(void* p, size_t bytes) {
  if (bytes < kMapped)
    std::free(p);
  else
    ::munmap(p, Mapped(bytes));
}

void DefinedBits::Fill(bool defined) {
  std::fill(words_.begin(), words_.end(), defined ? ~0u : 0u);
}

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
  std::fill(words_.data() + w + 1, words_.data() + last, defined ? ~0u : 0u);
}

size_t DefinedBits::Find(size_t offset, size_t bytes, bool value) const {
  constexpr size_t kStride = 16;  // words that are passed over together
  const uint32_t none = value ? 0u : ~0u;
  const size_t end = offset + bytes;
  for (size_t i = offset; i < end;) {
    if (i % 32 == 0 && i + kStride * 32 <= end) {
      const uint32_t* at = words_.data() + i / 32;
      uint32_t other = 0;
      for (size_t k = 0; k < kStride; ++k) other |= at[k] ^ none;
      if (!other) {
        i += kStride * 32;
        continue;
      }
    }
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

void AccessHistory::Resize(size_t bytes, const PipeList& pipes) {
  const size_t n = bytes / kBlockBytes;
  pipes_ = pipes;
  cells_.Resize(4 * n * pipes_.count);
  uint32_t* next = cells_.data();
  for (uint32_t s = 0; s < pipes_.count; ++s) {
    lane_of_[pipes_.at[s]] = uint8_t(s);
    for (Lane* l : {&reads_[s], &writes_[s]}) {
      l->blocks = n;
      l->epoch = std::exchange(next, next + n);
      l->site = std::exchange(next, next + n);
    }
  }
}

// Can there be an access later than `known` that is not part of the running instruction (`now`)?
bool AccessHistory::Any(const Lane& lane, const Range& r) {
  if (lane.latest <= r.known) return false;
  const uint32_t first = r.offset / kBlockBytes, last = (r.end - 1) / kBlockBytes;
  uint32_t any = 0;
  const uint32_t* e = lane.epoch;
  for (uint32_t b = first; b <= last; ++b)
    any |= uint32_t(e[b] > r.known) & uint32_t(e[b] != r.now);
  if (any || lane.latest_part <= r.known) return any != 0;
  const uint16_t* parts = lane.index.data();
  for (uint32_t b = first; b <= last; ++b) any |= parts[b];
  return any != 0;
}

// Calls each(from, to, epoch, site) for the bytes of the range that such an access touched, until
// it returns false.
template <class F>
void AccessHistory::Visit(const Lane& lane, const Range& r, F each) {
  for (uint32_t b = r.offset / kBlockBytes; b <= (r.end - 1) / kBlockBytes; ++b) {
    const uint32_t start = b * kBlockBytes, from = std::max(r.offset, start),
                   to = std::min(r.end, start + kBlockBytes);
    if (lane.epoch[b] > r.known && lane.epoch[b] != r.now &&
        !each(from, to, lane.epoch[b], lane.site[b]))
      return;
    if (lane.index.empty() || !lane.index[b]) continue;
    const Parts& p = lane.parts[lane.index[b] - 1u];
    for (size_t i = 0; i < p.count; ++i) {
      const Part& a = p.part[i];
      if (a.epoch <= r.known || a.epoch == r.now || a.epoch <= lane.epoch[b]) continue;
      const uint32_t low = std::max(from, start + a.from), high = std::min(to, start + a.to);
      if (low < high && !each(low, high, a.epoch, a.site)) return;
    }
  }
}

void AccessHistory::Look(const Lane& lane, const Range& r, uint32_t pipe, bool write, Conflict& c,
                         std::vector<ByteRange>* contested) {
  if (!Any(lane, r)) return;
  Visit(lane, r, [&](uint32_t from, uint32_t to, uint32_t epoch, uint32_t site) {
    if (!c.found || epoch > c.epoch) c = {true, write, pipe, epoch, site, from};
    if (contested) contested->push_back({from, to});
    return contested != nullptr;
  });
}

void AccessHistory::StampPart(Lane& lane, uint32_t block, Part part) {
  if (lane.index.empty()) lane.index.assign(lane.blocks, 0);
  if (!lane.index[block]) {
    lane.parts.emplace_back();
    lane.index[block] = uint16_t(lane.parts.size());
  }
  Parts& p = lane.parts[lane.index[block] - 1u];
  size_t kept = 0;
  for (size_t i = 0; i < p.count; ++i) {
    Part a = p.part[i];
    const bool meets = a.from <= part.to && part.from <= a.to;
    if (a.epoch == part.epoch && meets) {  // one instruction continues where it was
      part.from = std::min(part.from, a.from);
      part.to = std::max(part.to, a.to);
    } else if (a.epoch > lane.epoch[block] && !(part.from <= a.from && a.to <= part.to)) {
      p.part[kept++] = a;
    }
  }
  if (kept == kParts) {
    Part& old = p.part[1];
    old.from = std::min(old.from, p.part[0].from);
    old.to = std::max(old.to, p.part[0].to);
    std::copy(p.part + 1, p.part + kept, p.part);
    --kept;
  }
  p.count = uint8_t(kept);
  if (part.from == 0 && part.to == kBlockBytes) {
    lane.epoch[block] = part.epoch;
    lane.site[block] = part.site;
    return;
  }
  lane.latest_part = part.epoch;
  p.part[p.count++] = part;
}

void AccessHistory::Stamp(Lane& lane, uint32_t offset, uint32_t end, uint32_t epoch,
                          uint32_t site) {
  lane.latest = epoch;
  const uint32_t first = (offset + kBlockBytes - 1) / kBlockBytes,
                 last = end / kBlockBytes;  // whole blocks
  if (first < last) {
    std::fill(lane.epoch + first, lane.epoch + last, epoch);
    std::fill(lane.site + first, lane.site + last, site);
  }
  const uint8_t head = offset % kBlockBytes, tail = end % kBlockBytes;
  if (first > last) return StampPart(lane, last, {epoch, site, head, tail});
  if (head) StampPart(lane, first - 1, {epoch, site, head, uint8_t(kBlockBytes)});
  if (tail) StampPart(lane, last, {epoch, site, 0, tail});
}

Conflict AccessHistory::Read(uint32_t offset, size_t bytes, uint32_t pipe, const Clock& clock,
                             uint32_t epoch, uint32_t site) {
  Conflict c;
  const uint32_t end = offset + uint32_t(bytes);
  for (uint32_t s = 0; s < pipes_.count; ++s)
    Look(writes_[s], {offset, end, clock.at[pipes_.at[s]], epoch}, pipes_.at[s], true, c, nullptr);
  Stamp(reads_[lane_of_[pipe]], offset, end, epoch, site);
  return c;
}

Conflict AccessHistory::Write(uint32_t offset, size_t bytes, uint32_t pipe, const Clock& clock,
                              uint32_t epoch, uint32_t site, std::vector<ByteRange>* contested) {
  Conflict c;
  const uint32_t end = offset + uint32_t(bytes);
  for (uint32_t s = 0; s < pipes_.count; ++s) {
    const uint32_t prior = pipes_.at[s];
    const Range r{offset, end, clock.at[prior], epoch};
    Look(writes_[s], r, prior, true, c, contested);
    if (prior != pipe) Look(reads_[s], r, prior, false, c, contested);
  }
  Stamp(writes_[lane_of_[pipe]], offset, end, epoch, site);
  return c;
}

Conflict AccessHistory::NearestWrite(uint32_t offset, uint32_t since) const {
  Conflict c;
  const uint32_t block = offset / kBlockBytes;
  for (uint32_t b = block; !c.found && b + 1 >= block && b <= block; --b)
    for (uint32_t s = 0; s < pipes_.count; ++s) {
      auto consider = [&](uint32_t epoch, uint32_t site) {
        if (epoch > since && epoch > c.epoch)
          c.found = true, c.epoch = epoch, c.site = site, c.pipe = pipes_.at[s];
      };
      const Lane& lane = writes_[s];
      consider(lane.epoch[b], lane.site[b]);
      if (lane.index.empty() || !lane.index[b]) continue;
      const Parts& parts = lane.parts[lane.index[b] - 1u];
      for (size_t i = 0; i < parts.count; ++i) consider(parts.part[i].epoch, parts.part[i].site);
    }
  return c;
}

bool AccessHistory::Wrote(uint32_t pipe, uint32_t offset, uint32_t since) const {
  const uint32_t block = offset / kBlockBytes, byte = offset % kBlockBytes;
  uint32_t latest = since, by = UINT32_MAX;
  for (uint32_t s = 0; s < pipes_.count; ++s) {
    const Lane& lane = writes_[s];
    auto consider = [&](uint32_t epoch) {
      if (epoch > latest) latest = epoch, by = pipes_.at[s];
    };
    consider(lane.epoch[block]);
    if (lane.index.empty() || !lane.index[block]) continue;
    const Parts& parts = lane.parts[lane.index[block] - 1u];
    for (size_t i = 0; i < parts.count; ++i)
      if (parts.part[i].from <= byte && byte < parts.part[i].to) consider(parts.part[i].epoch);
  }
  return by == pipe;
}

}  // namespace akgen::sim
