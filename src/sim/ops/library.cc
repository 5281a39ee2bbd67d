#include "sim/ops/library.h"

#include <algorithm>

namespace akgen::sim {
namespace {
float LoadOne(const uint8_t* at, uint8_t type) {
  switch (type) {
    case AKGEN_F16: return Up(ScalarOf<F16>(*reinterpret_cast<const uint16_t*>(at)));
    case AKGEN_BF16: return Up(ScalarOf<Bf16>(*reinterpret_cast<const uint16_t*>(at)));
    case AKGEN_I32: return float(*reinterpret_cast<const int32_t*>(at));
    case AKGEN_I8: return float(*reinterpret_cast<const int8_t*>(at));
    case AKGEN_U8: return float(*at);
    default: return *reinterpret_cast<const float*>(at);
  }
}
void StoreOne(uint8_t* at, uint8_t type, float v) {
  const F16 half = F16(v);
  const Bf16 bf16 = Down<Bf16>(v);
  switch (type) {
    case AKGEN_F16: std::memcpy(at, &half, 2); return;
    case AKGEN_BF16: std::memcpy(at, &bf16, 2); return;
    case AKGEN_U8: *at = uint8_t(v); return;
    default: std::memcpy(at, &v, 4); return;
  }
}
}  // namespace

Part Library::Operand(uint32_t i, uint8_t type, uint32_t rows, uint32_t pitch, uint32_t n) const {
  return {reinterpret_cast<uint8_t* const*>(instr_.aux[0])[i], type, rows, pitch, n};
}

bool Library::Overlaps() const {
  const uint8_t* tmp = static_cast<const uint8_t*>(instr_.tmp);
  for (const Result& r : out_) {
    if (tmp && r.part.Meets(tmp, instr_.tmp_bytes)) return true;
    for (const Part& source : in_)
      if (r.part.Meets(source.at, source.Span()) && !(r.may_share && r.part.at == source.at))
        return true;
    for (const Result& other : out_)
      if (&other != &r && r.part.Meets(other.part.at, other.part.Span())) return true;
  }
  return tmp && std::any_of(in_.begin(), in_.end(),
                            [&](const Part& p) { return p.Meets(tmp, instr_.tmp_bytes); });
}

bool Library::WholeBlocks(uint32_t pitch) {
  return size_t(pitch) * SizeOfType(instr_.src_type) % kBlock == 0 ||
         Broken("row_length", "rows are no multiple of 32 bytes",
                "pad them to the next multiple of 32 bytes");
}

bool Library::Begin(TmpSize tmp) {
  for (const Result& r : out_)
    if (r.part.rows == 0 || r.part.n == 0) return false;
  if (instr_.tmp && instr_.tmp_bytes < tmp.min)
    return Broken("tmp_size", "the temporary buffer is smaller than the minimum for this shape",
                  "size it with the host function Get…MaxMinTmpSize");
  if (!instr_.tmp && machine_.Left() < tmp.min)
    return Broken("tmp_left", "less of the Unified Buffer is left than the minimum for this shape",
                  "leave it to no buffer, or pass a temporary buffer");
  if (Overlaps())
    return Broken("overlap", "operands or the temporary buffer overlap",
                  "give each its own memory, but for those that may be shared");
  auto announce = [&](const Part& p, bool write) {
    Announcer rows(machine_, write);
    for (uint32_t r = 0; r < p.rows; ++r) rows.Add(p.Row(r), p.RowBytes());
    return rows.Done();
  };
  for (const Part& p : in_) {
    if (!announce(p, false)) return false;
    for (uint32_t r = 0; r < p.rows && all_defined_; ++r) all_defined_ = Defined(p, r);
  }
  if (size_t used = std::min<size_t>(tmp.max, instr_.tmp ? instr_.tmp_bytes : 0))
    machine_.Clobber(instr_.tmp, used);
  return std::all_of(out_.begin(), out_.end(),
                     [&](const Result& r) { return announce(r.part, true); });
}

std::vector<float> Library::Load(const Part& part, uint32_t row) const {
  std::vector<float> v(part.n);
  const uint8_t* at = part.Row(row);
  const uint32_t size = SizeOfType(part.type);
  for (uint32_t i = 0; i < part.n; ++i) v[i] = LoadOne(at + size_t(i) * size, part.type);
  return v;
}
void Library::Store(const Part& part, uint32_t row, const std::vector<float>& values) {
  const uint32_t size = SizeOfType(part.type);
  for (uint32_t i = 0; i < values.size(); ++i)
    StoreOne(part.Row(row) + size_t(i) * size, part.type, values[i]);
}
void Library::Store(const Part& part, uint32_t element, float value) {
  StoreOne(part.at + size_t(element) * SizeOfType(part.type), part.type, value);
}

bool Library::Defined(const Part& part, uint32_t row) const {
  return machine_.Defined(part.Row(row), part.RowBytes());
}
void Library::Mark(const Part& part, uint32_t row, bool defined) {
  machine_.SetDefined(part.Row(row), part.RowBytes(), defined);
}
void Library::MarkElement(const Part& part, uint32_t element, bool defined) {
  const uint32_t size = SizeOfType(part.type);
  machine_.SetDefined(part.at + size_t(element) * size, size, defined);
}

}  // namespace akgen::sim
