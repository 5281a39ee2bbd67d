#include "runner/process/guest_memory.h"

#include <algorithm>

#include "akgen/abi.h"
#include "guest/layout.h"
#include "sim/exec/core.h"

namespace akgen::runner {
namespace {
// Beyond what a pointer of this machine can hold, so that none is ever mistaken for one.
constexpr uint64_t kUb = uint64_t{1} << 48, kGm = uint64_t{2} << 48;
// The Cube core's memories lie so far apart behind UB.
constexpr uint64_t kOwnMemory = uint64_t{1} << 44;
uint64_t BaseOf(sim::MemoryId id) {
  return kUb + (id == sim::kVectorMemory ? 0 : (1 + uint64_t(id)) * kOwnMemory);
}
// Each tensor has a terabyte of addresses, and lies in its middle: no index of 32 bits leads from
// one into another.
constexpr uint64_t kSlot = uint64_t{1} << 40, kMiddle = kSlot / 2;
constexpr uint64_t kMaxSlots = 256;
constexpr uint64_t kEmptyTensor = kGm + kMaxSlots * kSlot;
constexpr uint64_t kNowhere = uint64_t{1} << 63;
// How far beyond a memory a pointer may lead and still be told apart by the chip: "behind the
// tensor x".
constexpr int64_t kNear = 2 << 20;

uint8_t* Nowhere(uint64_t address) {
  return reinterpret_cast<uint8_t*>((address & (kNowhere - 1)) | kNowhere);
}
bool IsNowhere(const void* p) { return reinterpret_cast<uint64_t>(p) & kNowhere; }
}  // namespace

void GuestMemory::Learn() {
  const auto& all = sim::Gm().regions();
  regions_.assign(all.size(), nullptr);
  for (const auto& r : all)
    if (r->serial < regions_.size()) regions_[r->serial] = r.get();
  grants_.clear();
}

void* GuestMemory::ToHost(uint64_t address) const {
  if (address == 0) return nullptr;
  for (const auto& m : sim::g_core->memories.all())
    if (const auto at = int64_t(address - BaseOf(m->id()));
        at > -kNear && at < int64_t(m->bytes()) + kNear)
      return m->base() + at;
  if (address - guest::kConstantsBase < constants_.size())
    return constants_.data() + (address - guest::kConstantsBase);
  const uint64_t slot = (address - kGm) / kSlot;
  if (address < kGm || slot >= regions_.size() || !regions_[slot]) return Nowhere(address);
  const sim::Region& r = *regions_[slot];
  const auto offset = int64_t(address - kGm - slot * kSlot - kMiddle);
  return offset > -kNear && offset < int64_t(r.Extent()) + kNear ? r.base + offset
                                                                 : Nowhere(address);
}

uint64_t GuestMemory::UbToGuest(const void* host) const {
  const sim::Core& core = *sim::g_core;
  const auto* at = static_cast<const uint8_t*>(host);
  const sim::Memory* m = core.memories.Holding(host);
  // What InitBuffer gave out beyond the end of a memory is still told by that memory.
  for (const auto& other : core.memories.all())
    if (!m && at >= other->base() && at < other->base() + other->bytes() + kNear) m = other.get();
  if (!m) m = &core.memory(sim::kVectorMemory);
  return BaseOf(m->id()) + uint64_t(at - m->base());
}

uint64_t GuestMemory::GmToGuest(const void* host) const {
  if (!host) return 0;
  if (IsNowhere(host)) return reinterpret_cast<uint64_t>(host) & ~kNowhere;
  const auto* at = static_cast<const uint8_t*>(host);
  if (at >= constants_.data() && at < constants_.data() + constants_.size())
    return guest::kConstantsBase + uint64_t(at - constants_.data());
  const sim::Region* r = sim::Gm().Find(host);
  if (!r || r->serial >= kMaxSlots) return kEmptyTensor;
  return kGm + r->serial * kSlot + kMiddle + uint64_t(at - r->base);
}

void GuestMemory::Grant(uint64_t address, uint64_t bytes, bool write) {
  constexpr size_t kLimit = 4;
  if (grants_.size() == kLimit) grants_.erase(grants_.begin());
  grants_.push_back({address, address + bytes, write});
}

bool GuestMemory::Granted(uint64_t address, uint64_t bytes, bool write) const {
  return std::any_of(grants_.begin(), grants_.end(), [&](const Range& g) {
    return g.write == write && address >= g.begin && address < g.end && bytes <= g.end - address;
  });
}

uint8_t* GuestMemory::Reach(uint64_t address, uint64_t bytes, bool write) {
  auto* host = static_cast<uint8_t*>(ToHost(address));
  if (!host || IsNowhere(host)) return nullptr;
  if (!Granted(address, bytes, write))
    write ? akgen_raw_write(host, bytes) : akgen_raw_read(host, bytes);
  // The chip has stopped the launch if it is wrong; what it let pass as the simulator's own
  // business is not the guest's.
  if (const sim::Memory* m = sim::g_core->memories.Holding(host))
    return bytes <= uint64_t(m->base() + m->bytes() - host) ? host : nullptr;
  const sim::Region* r = sim::Gm().Find(host);
  if (!r || (write && !r->writable())) return nullptr;
  return bytes <= uint64_t(r->base + r->Extent() - host) ? host : nullptr;
}

}  // namespace akgen::runner
