#include "sim/trace/trace.h"

#include <algorithm>
#include <bit>

#include "sim/ops/ops.h"

namespace akgen::sim {
namespace {
// Elements of an instruction whose shape lies in aux, 0: its form says how many.
uint64_t ElementsInAux(const AkgenVec& v) {
  switch (RowOf(v.op).size) {
    case Size::form: return 0;
    case Size::rows: return v.aux[0] * v.aux[1];
    case Size::shape: return uint64_t(Low(v.aux[2])) * std::max(1u, High(v.aux[2]));
    case Size::list: return uint64_t(Low(v.aux[1])) * std::max(1u, High(v.aux[1]));
    case Size::groups: return uint64_t(Low(v.aux[1])) * High(v.aux[1]) * High(v.aux[2]);
  }
  return 0;
}

// Documented address rules of 2201: 16 bank groups of 3 banks; a repeat's eight DataBlocks per
// operand.
struct Side {
  uint32_t at, blk, rep;  // byte offset in UB, strides in DataBlocks
  uint32_t Block(uint32_t r, uint32_t b) const { return at + (r * rep + b * blk) * 32; }
};
uint32_t Group(uint32_t at) { return (at >> 5) & 15; }
uint32_t Bank(uint32_t at) { return (at >> 16) * 16 + Group(at); }

// How many cycles beyond the first one bank group needs for the distinct DataBlocks of these
// operands.
uint32_t Crowding(const Side* sides, int n, uint32_t r) {
  uint32_t rows[16][24], count[16] = {}, most = 1;
  for (int s = 0; s < n; ++s)
    for (uint32_t b = 0; b < 8; ++b) {
      uint32_t at = sides[s].Block(r, b), g = Group(at);
      if (std::find(rows[g], rows[g] + count[g], at >> 5) != rows[g] + count[g]) continue;
      rows[g][count[g]++] = at >> 5;
      most = std::max(most, count[g]);
    }
  return most - 1;
}

// The banks of a repeat's DataBlocks, a bit each; UB has 48.
uint64_t Banks(const Side& s, uint32_t r) {
  uint64_t banks = 0;
  for (uint32_t b = 0; b < 8; ++b) banks |= uint64_t(1) << (Bank(s.Block(r, b)) & 63);
  return banks;
}

bool WriteMeetsRead(const Side& dst, const Side* sources, int n, uint32_t r) {
  uint64_t read = 0;
  for (int s = 0; s < n; ++s) read |= Banks(sources[s], r + 1);
  return (Banks(dst, r) & read) != 0;
}

void CountConflicts(TraceEvent& e, const AkgenVec& v, const uint8_t* ub) {
  bool plain = v.form == AKGEN_FORM_COUNT;
  auto side = [&](const void* p, uint32_t blk, uint32_t rep) {
    return Side{uint32_t(static_cast<const uint8_t*>(p) - ub), plain ? 1 : blk, plain ? 8 : rep};
  };
  Side dst = side(v.dst, v.dst_blk, v.dst_rep), src[2];
  int n = 0;
  if (v.src0) src[n++] = side(v.src0, v.src0_blk, v.src0_rep);
  if (v.src1 && v.src1_type != AKGEN_NO_DTYPE) src[n++] = side(v.src1, v.src1_blk, v.src1_rep);
  uint32_t sample =
      std::min(e.repeats, 32u);  // the pattern of addresses repeats at the latest after 16
  if (sample == 0 || !v.dst) return;
  uint32_t reads = 0, writes = 0;
  for (uint32_t r = 0; r < sample; ++r) {
    reads += std::max(n ? Crowding(src, n, r) : 0, Crowding(&dst, 1, r));
    if (r + 1 < sample) writes += WriteMeetsRead(dst, src, n, r);
  }
  e.bank_reads = float(reads) * float(e.repeats) / float(sample);
  e.bank_writes = sample > 1 ? float(writes) * float(e.repeats - 1) / float(sample - 1) : 0;
}

bool CanConflict(const AkgenVec& v) { return RowOf(v.op).repeats && v.form != AKGEN_FORM_WHOLE; }
}  // namespace

const char* NameOf(TraceKind kind) {
  static constexpr const char* kNames[] = {"vector",
                                           "copy in",
                                           "copy out",
                                           "copy in UB",
                                           "set flag",
                                           "wait flag",
                                           "scalar UB",
                                           "scalar GM",
                                           "wait for pipe",
                                           "barrier",
                                           "wait for all blocks",
                                           "notify block",
                                           "wait for block",
                                           "scalar",
                                           "scalar work",
                                           "load",
                                           "mmad",
                                           "fixpipe",
                                           "set cross-core flag",
                                           "wait for cross-core flag"};
  return kNames[size_t(kind)];
}

namespace {
constexpr size_t kMaxShapes = size_t{8} << 20;  // 384 MB
constexpr size_t kKnown = 1024;

uint64_t Mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

uint64_t HashOf(const TraceEvent& e) {
  uint64_t h = uint64_t(e.kind) | uint64_t(e.pipe) << 8 | uint64_t(e.bits) << 16 |
               uint64_t(e.bypass) << 24 | uint64_t(e.op) << 32 | uint64_t(e.bursts) << 48;
  h = Mix(0, h);
  h = Mix(h, e.site | uint64_t(e.n) << 32);
  h = Mix(h, e.repeats | uint64_t(std::bit_cast<uint32_t>(e.bank_reads)) << 32);
  h = Mix(h, std::bit_cast<uint32_t>(e.bank_writes) ^ e.address);
  return Mix(h, uint64_t(e.stride));
}
}  // namespace

void Trace::GrowSlots() {
  slots_.assign(std::max<size_t>(256, slots_.size() * 2), 0);
  for (size_t i = 0; i < shapes_.size(); ++i) {
    size_t at = HashOf(shapes_[i]) & (slots_.size() - 1);
    while (slots_[at]) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = uint32_t(i + 1);
  }
}

uint32_t Trace::ShapeOf(const TraceEvent& e) {
  if (2 * shapes_.size() >= slots_.size()) GrowSlots();
  size_t at = HashOf(e) & (slots_.size() - 1);
  for (; slots_[at]; at = (at + 1) & (slots_.size() - 1))
    if (shapes_[slots_[at] - 1] == e) return slots_[at] - 1;
  if (shapes_.size() >= kMaxShapes) left_ = 0;
  shapes_.push_back(e);
  after_.push_back(kNoShape);
  slots_[at] = uint32_t(shapes_.size());
  return slots_[at] - 1;
}

uint32_t Trace::ShapeAfter(uint32_t last, const TraceEvent& e) {
  if (last == kNoShape) return ShapeOf(e);
  if (after_[last] != kNoShape && shapes_[after_[last]] == e) return after_[last];
  const uint32_t shape = ShapeOf(e);
  return after_[last] = shape;
}

bool Trace::Take() {
  if (left_ == 0) {
    cut_ = true;
    return false;
  }
  --left_;
  ++records_;
  full_.clear();
  return true;
}

void Trace::Add(uint32_t block, const TraceEvent& e) {
  if (cut_) return;
  Block& b = blocks_[block];
  TraceEvent shape = e;
  if (HasPlace(e.kind)) shape.address = 0;
  if (HasCount(e.kind)) shape.n = 0;
  if (HasCount(e.kind) && b.last != kNoShape && shapes_[b.last] == shape) {
    b.words.back() = uint32_t(std::min<uint64_t>(uint64_t(b.words.back()) + e.n, UINT32_MAX));
    full_.clear();
    return;
  }
  const uint32_t number = ShapeAfter(b.last, shape);
  if (!Take()) return;
  b.last = number;
  b.words.push_back(number);
  if (HasCount(e.kind)) b.words.push_back(e.n);
  if (HasPlace(e.kind))
    b.words.insert(b.words.end(), {uint32_t(e.address), uint32_t(e.address >> 32)});
}

Trace::VectorKey Trace::KeyOf(const AkgenVec& v, const uint8_t* ub, uint32_t counter_total,
                              uint32_t pipe, uint32_t site) {
  VectorKey k;
  k.part[0] = v.op | uint64_t(v.form) << 16 | uint64_t(v.dst_type) << 24 |
              uint64_t(v.src_type) << 32 | uint64_t(v.src1_type) << 40 | uint64_t(pipe) << 48;
  k.part[1] = v.count | uint64_t(v.repeat) << 32;
  k.part[2] = counter_total | uint64_t(site) << 32;
  k.part[3] = ElementsInAux(v);
  if (!CanConflict(v)) return k;
  auto at = [ub](const void* p) -> uint64_t {
    return p ? uint32_t(static_cast<const uint8_t*>(p) - ub) : UINT32_MAX;
  };
  k.part[4] = at(v.dst) | at(v.src0) << 32;
  k.part[5] = at(v.src1) | uint64_t(v.dst_blk) << 32 | uint64_t(v.dst_rep) << 48;
  k.part[6] = v.src0_blk | uint64_t(v.src1_blk) << 16 | uint64_t(v.src0_rep) << 32 |
              uint64_t(v.src1_rep) << 48;
  return k;
}

void Trace::AddVector(uint32_t block, const AkgenVec& v, const uint8_t* ub, uint32_t counter_total,
                      uint32_t pipe, uint32_t site) {
  if (cut_) return;
  const VectorKey key = KeyOf(v, ub, counter_total, pipe, site);
  uint64_t hash = 0;
  for (uint64_t part : key.part) hash = Mix(hash, part);
  if (known_.empty()) known_.resize(kKnown);
  Known& known = known_[hash % kKnown];
  if (known.shape == UINT32_MAX || !(known.key == key)) {
    TraceEvent e = VectorEvent(v, ub, counter_total);
    e.pipe = uint8_t(pipe), e.site = site;
    known = {key, ShapeOf(e)};
  }
  if (!Take()) return;
  blocks_[block].last = known.shape;
  blocks_[block].words.push_back(known.shape);
}

const std::vector<std::vector<TraceEvent>>& Trace::blocks() const {
  if (!full_.empty() || blocks_.empty()) return full_;
  full_.resize(blocks_.size());
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<uint32_t>& words = blocks_[b].words;
    for (size_t i = 0; i < words.size();) {
      TraceEvent e = shapes_[words[i++]];
      if (HasCount(e.kind)) e.n = words[i++];
      if (HasPlace(e.kind)) e.address = words[i] | uint64_t(words[i + 1]) << 32, i += 2;
      full_[b].push_back(e);
    }
  }
  return full_;
}

TraceEvent VectorEvent(const AkgenVec& v, const uint8_t* ub, uint32_t counter_total) {
  TraceEvent e;
  e.kind = TraceKind::kVector;
  e.pipe = AKGEN_PIPE_V;
  e.op = v.op;
  uint32_t bits = std::max({BitsOf(v.dst_type), BitsOf(v.src_type), BitsOf(v.src1_type)});
  e.bits = uint8_t(bits ? bits : 32);
  uint32_t per_repeat = std::max(1u, 2048u / e.bits);
  uint64_t rows = ElementsInAux(v);
  if (rows)
    e.n = uint32_t(std::min<uint64_t>(rows, UINT32_MAX));
  else if (v.form == AKGEN_FORM_COUNT || (v.form == AKGEN_FORM_WHOLE && v.count))
    e.n = v.count;
  else if (counter_total)
    e.n = counter_total;
  else
    e.n = v.repeat * per_repeat;
  e.repeats = (e.n + per_repeat - 1) / per_repeat;
  if (CanConflict(v)) CountConflicts(e, v, ub);
  return e;
}

TraceEvent CopyEvent(const AkgenCopy& c) {
  TraceEvent e;
  e.kind = c.kind == AKGEN_GM_TO_UB   ? TraceKind::kCopyIn
           : c.kind == AKGEN_UB_TO_GM ? TraceKind::kCopyOut
                                      : TraceKind::kCopyUb;
  static constexpr uint8_t kPipe[] = {AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3, AKGEN_PIPE_V};
  e.pipe = kPipe[c.kind % 3];
  e.n = c.block_len;
  e.bursts = c.block_count;
  e.bypass = c.l2_bypass != 0;
  e.address = reinterpret_cast<uint64_t>(c.kind == AKGEN_GM_TO_UB ? c.src : c.dst);
  e.stride = int64_t(c.block_len) + (c.kind == AKGEN_GM_TO_UB ? c.src_stride : c.dst_stride);
  if (e.bursts > 1 && e.stride == int64_t(e.n)) {  // pieces that touch are one burst
    uint64_t all = uint64_t(e.n) * e.bursts;
    if (all <= UINT32_MAX) e.n = uint32_t(all), e.bursts = 1;
  }
  return e;
}

}  // namespace akgen::sim
