#include "judge/session/drawn_blocks.h"

#include <algorithm>
#include <cstring>

namespace akgen::judge {

void WrittenPieces::Add(uint32_t block, std::span<const uint64_t> ranges) {
  const size_t before = pieces_.size();
  for (size_t i = 0; i + 1 < ranges.size(); i += 2)
    pieces_.push_back({ranges[i], ranges[i + 1], block});
  std::inplace_merge(pieces_.begin(), pieces_.begin() + long(before), pieces_.end(),
                     [](const Piece& a, const Piece& b) { return a.from < b.from; });
}

const WrittenPieces::Piece* WrittenPieces::Holding(uint64_t at) const {
  auto next = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                               [](uint64_t value, const Piece& p) { return value < p.from; });
  // Blocks may overlap a little: one piece further back may be the longer one.
  for (int i = 0; i < 2 && next != pieces_.begin(); ++i)
    if ((--next)->to > at) return &*next;
  return nullptr;
}

std::optional<uint32_t> WrittenPieces::Next(uint64_t at, uint32_t blocks,
                                            const std::set<uint32_t>& ran) const {
  if (ran.size() >= blocks) return std::nullopt;
  const auto right =
      std::upper_bound(pieces_.begin(), pieces_.end(), at,
                       [](uint64_t value, const Piece& p) { return value < p.from; });
  const bool first = right == pieces_.begin(), last = right == pieces_.end();
  const int64_t low = first ? -1 : int64_t(std::prev(right)->block);
  const uint64_t begin = first ? 0 : std::min(std::prev(right)->to, at),
                 end = last ? bytes_ : right->from;
  int64_t high = last ? int64_t(blocks) : int64_t(right->block);
  if (high <= low) high += blocks;
  const double share = double(at - begin) / double(std::max<uint64_t>(1, end - begin));
  int64_t guess = low + 1 + int64_t(share * double(std::max<int64_t>(0, high - low - 1)));
  // A last round that not all blocks have a part of: pieces are as long as the one before.
  if (last && !first)
    guess = low + 1 + int64_t((at - begin) / std::max<uint64_t>(1, begin - std::prev(right)->from));
  for (int64_t away = 0; away < int64_t(blocks); ++away)
    for (const int64_t one : {guess + away, guess - away})
      if (const uint32_t block = uint32_t((one + blocks) % blocks); !ran.contains(block))
        return block;
  return std::nullopt;
}

namespace {
constexpr size_t kMaxLayers = 8;
}  // namespace

FoldedOutputs::FoldedOutputs(const task::CaseDesc& few, const task::TensorSet& golden)
    : few_(few), golden_(golden) {}

base::Status FoldedOutputs::Grow() {
  Packed layer;
  auto memory = base::SharedMemory::Create("akgen-folded", golden_.layout.bytes);
  if (!memory.ok()) return memory.error();
  layer.outputs = std::move(*memory);
  size_t flat = 0;
  for (const task::ParamDesc& p : few_.outputs)
    for (const task::TensorDesc& t : p.tensors) {
      std::ranges::copy(golden_.Bytes(flat), layer.outputs.data() + golden_.layout.offsets[flat]);
      layer.flat_outputs.push_back({golden_.layout.offsets[flat++], t, p.name, p.compared});
    }
  layers_.push_back(std::move(layer));
  filled_.emplace_back(golden_.layout.bytes, uint8_t{0});
  return {};
}

base::Status FoldedOutputs::Add(size_t output, uint64_t from, std::span<const uint8_t> bytes) {
  const size_t size = golden_.tensors[output].Bytes();
  while (!bytes.empty()) {
    const size_t at = size_t(from % size), part = std::min(bytes.size(), size - at);
    if (auto s = AddTo(0, output, at, bytes.first(part)); !s.ok()) return s;
    from += part;
    bytes = bytes.subspan(part);
  }
  return {};
}

base::Status FoldedOutputs::AddTo(size_t layer, size_t output, size_t at,
                                  std::span<const uint8_t> bytes) {
  if (layer == kMaxLayers) return {};
  if (layer == layers_.size())
    if (auto s = Grow(); !s.ok()) return s;
  while (!bytes.empty()) {
    const size_t place = golden_.layout.offsets[output] + at;
    uint8_t *filled = filled_[layer].data() + place, *to = layers_[layer].outputs.data() + place;
    const uint8_t state = *filled;
    const void* end = std::memchr(filled, !state, bytes.size());
    const size_t run = end ? size_t(static_cast<const uint8_t*>(end) - filled) : bytes.size();
    if (!state) {
      std::memcpy(to, bytes.data(), run);
      std::memset(filled, 1, run);
      kept_ += run;
    } else if (std::memcmp(to, bytes.data(), run) == 0) {
      kept_ += run;
    } else if (auto s = AddTo(layer + 1, output, at, bytes.first(run)); !s.ok()) {
      return s;
    }
    at += run;
    bytes = bytes.subspan(run);
  }
  return {};
}

}  // namespace akgen::judge
