#include "sim/machine/live_buffers.h"

#include "sim/machine/positions.h"

namespace akgen::sim {

void LiveBuffers::Resize(uint32_t bytes) { owner_.Resize(bytes / kGrain); }

void LiveBuffers::Reset() {
  EndAll();
  named_.clear();
}

void LiveBuffers::EndAll() {
  if (owned_) std::fill(owner_.begin(), owner_.end(), kNobody);
  given_ = owned_ = false;
}

void LiveBuffers::Give(uint8_t id, const NamedBuffer& buffer) {
  given_ = owned_ = true;
  if (named_.size() <= id) named_.resize(id + 1u);
  named_[id] = buffer;
  const size_t end = std::min<size_t>((buffer.offset + buffer.bytes) / kGrain, owner_.size());
  for (size_t b = buffer.offset / kGrain; b < end; ++b) {
    if (owner_[b]) named_[id].shared = true;
    owner_[b] = id;
  }
}

void LiveBuffers::Lend(uint32_t from, uint32_t to) {
  owned_ = true;
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
  return "buffer " + std::to_string(b.serial) + " (" + (row ? row->name + std::string(", ") : "") + "bytes " +
         std::to_string(b.offset) + " to " + std::to_string(b.offset + b.bytes - 1) + ")";
}

}  // namespace akgen::sim
