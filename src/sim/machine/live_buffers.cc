#include "sim/machine/live_buffers.h"

#include "sim/machine/positions.h"

namespace akgen::sim {

void LiveBuffers::Resize(uint32_t bytes) { owner_.Resize(bytes / kGrain); }

void LiveBuffers::Reset() {
  EndAll();
  named_.clear();
}

void LiveBuffers::EndAll() {
  if (written_) std::fill(owner_.begin(), owner_.end(), kNobody);
  given_ = written_ = false, placed_ = 0;
}

void LiveBuffers::Give(uint8_t id, const NamedBuffer& buffer) {
  given_ = written_ = true;
  if (named_.size() <= id) named_.resize(id + 1u);
  named_[id] = buffer;
  const size_t end = std::min<size_t>((buffer.offset + buffer.bytes) / kGrain, owner_.size());
  for (size_t b = buffer.offset / kGrain; b < end; ++b) {
    if (owner_[b]) named_[id].shared = true;
    owner_[b] = id;
  }
}

void LiveBuffers::Place(uint32_t offset, uint32_t bytes, uint32_t position) {
  size_t from = offset / kGrain,
         to = std::min((size_t(offset) + bytes + kGrain - 1) / kGrain, owner_.size());
  bool meets = false;
  for (size_t b = from, end = to; b < end; ++b) {
    if (!owner_[b]) continue;
    const NamedBuffer* other = Named(owner_[b]);
    if (!other || !other->placed) return;
    const size_t first = other->offset / kGrain, last = first + other->bytes / kGrain;
    if (first <= from && to <= last) return;
    meets = true;
    from = std::min(from, first), to = std::max(to, last);
  }
  if (from >= to) return;
  written_ = true;
  constexpr uint32_t kNumbers = kStack - 1;
  const auto id = uint8_t(kNumbers - placed_++ % kNumbers);  // those of InitBuffer count upwards
  if (named_.size() <= id) named_.resize(id + 1u);
  named_[id] = {uint32_t(from) * kGrain, uint32_t(to - from) * kGrain, position, placed_};
  named_[id].placed = true, named_[id].shared = meets;
  std::fill(owner_.begin() + long(from), owner_.begin() + long(to), id);
}

void LiveBuffers::Lend(uint32_t from, uint32_t to) {
  written_ = true;
  std::fill(owner_.begin() + from / kGrain, owner_.begin() + to / kGrain, kStack);
}

bool LiveBuffers::RunsIntoUnused(uint32_t offset, size_t bytes) const {
  const uint8_t* id = &owner_[offset / kGrain];
  const uint8_t* end = &owner_[(offset + std::max<size_t>(bytes, 1) - 1) / kGrain] + 1;
  return *id && std::all_of(id, end, [&](uint8_t b) { return b == *id || b == kNobody; });
}

std::string LiveBuffers::NameAt(uint64_t offset) const {
  if (offset / kGrain >= owner_.size()) return "";
  const uint8_t id = owner_[offset / kGrain];
  if (id == kNobody || id >= named_.size()) return "";
  const NamedBuffer& b = named_[id];
  const PositionRow* row = RowOfPosition(b.position);
  return "buffer " + std::to_string(b.serial) + " (" + (row ? row->name + std::string(", ") : "") +
         "bytes " + std::to_string(b.offset) + " to " + std::to_string(b.offset + b.bytes - 1) +
         ")";
}

}  // namespace akgen::sim
