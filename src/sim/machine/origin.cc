#include "sim/machine/origin.h"

#include <algorithm>

namespace akgen::sim {

void Origins::Reset() {
  if (any_) std::fill(of_.begin(), of_.end(), 0);
  known_.clear();
  any_ = false;
}

void Origins::Set(size_t offset, size_t bytes, uint32_t origin) {
  if ((!origin && !any_) || bytes == 0) return;
  any_ = true;
  of_.resize(blocks_);
  const size_t last = std::min((offset + bytes - 1) / kBlockBytes, of_.size() - 1);
  for (size_t i = offset / kBlockBytes; i <= last; ++i) of_[i] = origin;
}

uint32_t Origins::OfGm(const Region& r, size_t offset) {
  if (r.all_defined || r.defined.empty() || r.writes.empty() || offset >= r.Extent()) return 0;
  // The write that defines the bytes just before, else those that follow next, else one that lies
  // close ahead.
  constexpr size_t kAhead = 64;
  const size_t cell = offset / 32, next = r.defined.Find(offset, r.Extent() - offset, true);
  const Region::Visit* write =
      offset > 0 && r.defined.Bit(offset - 1) ? r.writes.At((offset - 1) / 32) : nullptr;
  if (!write && next != SIZE_MAX) write = r.writes.At(next / 32);
  for (size_t back = 0; !write && back < kAhead && back <= cell; ++back)
    write = r.writes.At(cell - back);
  if (!write) return 0;
  return NumberOf({write->site, write->pipe, int(write->owner) - 1, true});
}

uint32_t Origins::Brought(const Origins& other, size_t offset) {
  const uint32_t origin = other.At(offset);
  return origin && &other != this ? NumberOf(other[origin]) : origin;
}

uint32_t Origins::NumberOf(const WrittenBy& by) {
  const auto same = [&](const WrittenBy& o) {
    return o.site == by.site && o.block == by.block && o.in_gm == by.in_gm;
  };
  if (const auto at = std::find_if(known_.rbegin(), known_.rend(), same); at != known_.rend())
    return uint32_t(known_.rend() - at);
  known_.push_back(by);
  return uint32_t(known_.size());
}

}  // namespace akgen::sim
