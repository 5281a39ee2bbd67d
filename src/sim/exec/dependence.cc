#include "sim/exec/dependence.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace akgen::sim {
namespace {

// What undefined bytes are taken for, one after the other: zeros, no number (and minus one), large,
// very small, and bytes of no pattern. One of them tells in a sum, an extreme, a sort, a mask or a
// copy.
constexpr uint8_t kFillings[] = {0x00, 0xff, 0x7b, 0xfb};
constexpr size_t kTries = std::size(kFillings) + 1;

uint8_t Filling(size_t filling, uint32_t at) {
  if (filling < std::size(kFillings)) return kFillings[filling];
  return uint8_t((at * 0x9e3779b1u) >> 24);
}

uint64_t Filling64(size_t filling, uint32_t at) {
  uint64_t word = 0;
  for (uint32_t i = 0; i < 8; ++i) word = word << 8 | Filling(filling, at + i);
  return word;
}

// A machine that announces nothing and keeps the body inside the memory.
class Again final : public VecMachine {
 public:
  Again(Memory& memory, const SpecialRegisters& registers, const Extent& extent,
        const RunArgs& args)
      : memory_(memory), extent_(extent), args_(args) {
    static_cast<SpecialRegisters&>(*this) = registers;
  }
  bool Read(const void* p, size_t bytes) override { return Inside(p, bytes); }
  bool Write(void* p, size_t bytes) override {
    if (!Inside(p, bytes)) return false;
    writes.push_back(
        {memory_.OffsetOf(p), {static_cast<uint8_t*>(p), static_cast<uint8_t*>(p) + bytes}});
    return true;
  }
  void Clobber(void*, size_t) override {}
  bool Defined(const void*, size_t) override { return true; }
  void SetDefined(void*, size_t, bool) override {}
  void Broken(const char*, const char*, const char*) override {}
  const Extent& extent() const override { return extent_; }
  RunArgs args() const override { return args_; }

  struct Written {
    uint32_t at;
    std::vector<uint8_t> old;
  };
  std::vector<Written> writes;

 private:
  bool Inside(const void* p, size_t bytes) const {
    return bytes && memory_.Holds(p) && bytes <= memory_.bytes() - memory_.OffsetOf(p);
  }
  Memory& memory_;
  const Extent& extent_;
  RunArgs args_;
};

// Undefined registers hold what undefined bytes are taken for.
SpecialRegisters Filled(SpecialRegisters r, size_t filling) {
  for (uint32_t i = 0; i < 2; ++i) {
    const uint64_t undefined = r.cmp_mask_undefined[i];
    r.cmp_mask[i] = (r.cmp_mask[i] & ~undefined) | (Filling64(filling, 8 * i) & undefined);
  }
  const uint64_t word = Filling64(filling, 16);
  if (r.undefined & SpecialRegisters::kAcc) r.acc_val = std::bit_cast<float>(uint32_t(word));
  if (r.undefined & SpecialRegisters::kReduce) r.reduce_value = r.reduce_index = word;
  if (r.undefined & SpecialRegisters::kGather) r.gather_count = word;
  if (r.undefined & SpecialRegisters::kMerge) r.mrg_result = word;
  return r;
}

// What came out otherwise in another try is undefined.
void MarkDifferent(const SpecialRegisters& other, SpecialRegisters* r) {
  for (int i = 0; i < 2; ++i) r->cmp_mask_undefined[i] |= r->cmp_mask[i] ^ other.cmp_mask[i];
  auto mark = [&](bool differs, uint8_t which) { r->undefined |= differs ? which : 0; };
  mark(std::bit_cast<uint32_t>(r->acc_val) != std::bit_cast<uint32_t>(other.acc_val),
       SpecialRegisters::kAcc);
  mark(r->reduce_value != other.reduce_value || r->reduce_index != other.reduce_index,
       SpecialRegisters::kReduce);
  mark(r->gather_count != other.gather_count, SpecialRegisters::kGather);
  mark(r->mrg_result != other.mrg_result, SpecialRegisters::kMerge);
}

}  // namespace

size_t Dependence::Save(uint32_t at, size_t bytes) {
  const size_t saved = saved_.size();
  saved_.insert(saved_.end(), memory_.At(at), memory_.At(at) + bytes);
  return saved;
}

void Dependence::OnRead(uint32_t at, size_t bytes) {
  if (!on_ || memory_.defined.Defined(at, bytes)) return;
  const size_t end = at + bytes;
  for (size_t from = memory_.defined.Find(at, bytes, false); from != SIZE_MAX && from < end;) {
    const size_t next = memory_.defined.Find(from, end - from, true),
                 to = next == SIZE_MAX ? end : next;
    if (undefined_.empty()) origin_ = memory_.origins.At(from);
    undefined_.push_back({uint32_t(from), to - from, Save(uint32_t(from), to - from)});
    from = to < end ? memory_.defined.Find(to, end - to, false) : SIZE_MAX;
  }
}

void Dependence::OnWrite(uint32_t at, size_t bytes) {
  if (!on_ || !bytes) return;
  written_.push_back({at, bytes, Save(at, bytes)});
  memory_.defined.Set(at, bytes, true);
}

void Dependence::Settle(OwnFn body, const AkgenVec& v, const Extent& extent, const RunArgs& args,
                        const SpecialRegisters& before, SpecialRegisters* after) {
  if (!on_ || marked_ || (undefined_.empty() && before.defined())) return;
  uint32_t end = 0;
  from_ = written_.empty() ? 0 : UINT32_MAX;
  for (const Range& w : written_)
    from_ = std::min(from_, w.at), end = std::max(end, uint32_t(w.at + w.bytes));
  auto image = [&] { return std::vector<uint8_t>(memory_.At(from_), memory_.At(end)); };
  result_ = image();
  for (auto w = written_.rbegin(); w != written_.rend(); ++w)
    std::memcpy(memory_.At(w->at), saved_.data() + w->saved, w->bytes);
  before_ = image();
  depends_.assign(result_.size(), 0);
  std::fill(after->cmp_mask_undefined, after->cmp_mask_undefined + 2, 0);
  after->undefined = 0;
  for (size_t filling = 0; filling < kTries; ++filling)
    Try(filling, body, v, extent, args, before, after);
  std::copy(result_.begin(), result_.end(), memory_.At(from_));
  for (size_t i = 0; i < depends_.size();) {
    const size_t first = i;
    while (i < depends_.size() && depends_[i] == depends_[first]) ++i;
    if (depends_[first]) memory_.Undefine(from_ + first, i - first, origin_);
  }
}

void Dependence::Try(size_t filling, OwnFn body, const AkgenVec& v, const Extent& extent,
                     const RunArgs& args, const SpecialRegisters& before, SpecialRegisters* after) {
  for (const Range& u : undefined_)
    for (uint32_t i = 0; i < u.bytes; ++i) *memory_.At(u.at + i) = Filling(filling, u.at + i);
  Again again(memory_, Filled(before, filling), extent, args);
  body(again, v);
  MarkDifferent(again, after);
  // Bytes that only this try wrote are none that the instruction defined.
  for (auto w = again.writes.rbegin(); w != again.writes.rend(); ++w)
    for (size_t i = 0; i < w->old.size(); ++i) {
      const size_t at = w->at + i, in = at - from_;
      if (at < from_ || in >= depends_.size()) *memory_.At(uint32_t(at)) = w->old[i];
    }
  for (size_t i = 0; i < depends_.size(); ++i)
    depends_[i] |= *memory_.At(uint32_t(from_ + i)) != result_[i];
  std::copy(before_.begin(), before_.end(), memory_.At(from_));
  for (auto u = undefined_.rbegin(); u != undefined_.rend(); ++u)
    std::memcpy(memory_.At(u->at), saved_.data() + u->saved, u->bytes);
}

}  // namespace akgen::sim
