#include "sim/machine/global_memory.h"

#include <algorithm>

namespace akgen::sim {

GlobalMemory& Gm() {
  static GlobalMemory gm;
  return gm;
}

void Region::Lane::Clear() {
  if (!visits_.empty()) index_.Resize(index_.size());
  visits_.clear();
}

bool Region::Lane::Any(size_t first, size_t last) const {
  uint32_t any = 0;
  for (size_t i = first; i <= last; ++i) any |= index_[i];
  return any != 0;
}

void Region::Lane::Add(const Visit& visit) {
  constexpr size_t kSlack = 1 << 16;
  // Element after element of one cell: the visit before is of no more use.
  const uint32_t before = visit.first == visit.last ? index_[visit.first] : 0;
  if (before && visits_[before - 1].first == visit.first &&
      visits_[before - 1].last == visit.last) {
    visits_[before - 1] = visit;
    return;
  }
  if (visits_.size() > index_.size() + kSlack) Compact();
  visits_.push_back(visit);
  std::fill(index_.data() + visit.first, index_.data() + visit.last + 1, uint32_t(visits_.size()));
}

// Keeps the visits that some cell still refers to: never more than there are cells.
void Region::Lane::Compact() {
  std::vector<uint32_t> renumbered(visits_.size() + 1, 0);
  std::vector<Visit> kept;
  for (uint32_t& i : index_) {
    if (!i) continue;
    if (!renumbered[i]) kept.push_back(visits_[i - 1]), renumbered[i] = uint32_t(kept.size());
    i = renumbered[i];
  }
  visits_ = std::move(kept);
}

void GlobalMemory::Add(const GmRegion& r) {
  auto region = std::make_unique<Region>();
  static_cast<GmRegion&>(*region) = r;
  region->serial = added_++;
  region->all_defined = r.role == Role::kInput || r.role == Role::kTiling || r.role == Role::kInout;
  if (!region->all_defined) region->defined.Resize(r.Extent());
  auto at = std::upper_bound(regions_.begin(), regions_.end(), r.base,
                             [](const uint8_t* b, const auto& x) { return b < x->base; });
  regions_.insert(at, std::move(region));
  last_ = nullptr;
}

void GlobalMemory::Remove(const uint8_t* base) {
  constexpr size_t kLimit = 64;
  for (const auto& r : regions_)
    if (r->base == base) removed_.push_back(*r);
  if (removed_.size() > kLimit) removed_.erase(removed_.begin());
  std::erase_if(regions_, [&](const auto& r) { return r->base == base; });
  last_ = nullptr;
}

Region* GlobalMemory::Find(const void* p) {
  const uint8_t* a = static_cast<const uint8_t*>(p);
  if (last_ && a >= last_->base && a < last_->base + last_->Extent()) return last_;
  auto at = std::upper_bound(regions_.begin(), regions_.end(), a,
                             [](const uint8_t* b, const auto& x) { return b < x->base; });
  if (at == regions_.begin()) return nullptr;
  Region* r = std::prev(at)->get();
  if (a >= r->base + r->Extent()) return nullptr;
  return last_ = r;
}

const std::string* GlobalMemory::FindRemoved(const void* p) const {
  const uint8_t* a = static_cast<const uint8_t*>(p);
  for (auto r = removed_.rbegin(); r != removed_.rend(); ++r)
    if (a >= r->base && a < r->base + r->bytes) return &r->name;
  return nullptr;
}

Region* GlobalMemory::FindNear(const void* p) {
  if (Region* r = Find(p)) return r;
  const uint8_t* a = static_cast<const uint8_t*>(p);
  Region* best = nullptr;
  size_t distance = size_t{1} << 24;
  for (auto& r : regions_) {
    size_t d = a < r->base ? size_t(r->base - a) : size_t(a - (r->base + r->bytes));
    if (d < distance) {
      distance = d;
      best = r.get();
    }
  }
  return best;
}

void GlobalMemory::BeginLaunch() {
  for (auto& r : regions_) {
    r->reads.Clear();
    r->writes.Clear();
    r->published.clear();
    r->alike.clear();
    r->publishes_much = false;
    r->origins.clear();
    if (!r->written.empty()) r->written.Resize(r->Extent());
  }
}

void AddGmRegion(const GmRegion& region) { Gm().Add(region); }
void RemoveGmRegion(const uint8_t* base) { Gm().Remove(base); }
void ClearGmRegions() { Gm().Clear(); }
void MarkGmDefined(const uint8_t* base, size_t bytes) {
  Region* r = Gm().Find(base);
  if (r && !r->all_defined)
    r->defined.Set(size_t(base - r->base), std::min(bytes, size_t(r->base + r->bytes - base)),
                   true);
}

size_t FindGmUndefined(const uint8_t* base, size_t bytes, bool by_kernel) {
  const Region* r = Gm().Find(base);
  if (!r || r->all_defined || (by_kernel && r->unfounded.empty())) return SIZE_MAX;
  const size_t first = size_t(base - r->base), end = first + bytes;
  for (size_t at = first; at < end;) {
    at = r->defined.Find(at, end - at, false);
    if (at == SIZE_MAX || !by_kernel || r->unfounded.Bit(at))
      return at == SIZE_MAX ? at : at - first;
    at = r->unfounded.Find(at, end - at, true);
    if (at == SIZE_MAX) return at;
    if (!r->defined.Bit(at)) return at - first;
  }
  return SIZE_MAX;
}

void CopyGmDefined(const uint8_t* to, const uint8_t* from, size_t bytes) {
  if (FindGmUndefined(from, bytes, false) == SIZE_MAX) return MarkGmDefined(to, bytes);
  Region *source = Gm().Find(from), *r = Gm().Find(to);
  if (!r || r->all_defined) return;
  if (r->unfounded.empty()) r->unfounded.Resize(r->Extent());
  const size_t at = size_t(to - r->base), first = size_t(from - source->base);
  for (size_t i = 0; i < bytes; ++i) {
    r->defined.Set(at + i, 1, source->defined.Bit(first + i));
    r->unfounded.Set(at + i, 1, !source->unfounded.empty() && source->unfounded.Bit(first + i));
  }
}

}  // namespace akgen::sim
