// Mmad: operands, what is undefined.
#include <algorithm>
#include <cstring>

#include "sim/exec/cube_unit.h"

namespace akgen::sim {
namespace {
using namespace cube;

// Anything else has no meaning to Multiply.
bool TakesType(uint8_t type) {
  return type == AKGEN_F16 || type == AKGEN_BF16 || type == AKGEN_F32 || type == AKGEN_I8 ||
         type == AKGEN_I4;
}

MmadShape ShapeOf(const AkgenCube& c) {
  MmadShape s;
  s.m = c.n[AKGEN_MMAD_M], s.n = c.n[AKGEN_MMAD_N], s.k = c.n[AKGEN_MMAD_K];
  s.type = c.src_type;
  s.vector = s.m == 1;
  const uint32_t per_row = PerRow(std::max(4u, BitsOf(c.src_type)));
  s.k_fractals =
      c.n[AKGEN_MMAD_K_ALIGN] && c.src_type == AKGEN_F32 ? 2 * Ceil(s.k, 16) : Ceil(s.k, per_row);
  s.hf32 = c.src_type == AKGEN_F32 && c.registers[AKGEN_CUBE_REG_HF32];
  s.hf32_trunc = c.registers[AKGEN_CUBE_REG_HF32_TRANS] != 0;
  return s;
}
}  // namespace

void CubeMmad::Mmad() {
  MmadShape s = ShapeOf(c_);
  if (!s.m || !s.n || !s.k) return;
  if (!TakesType(c_.src_type))
    return Broken("the matrices are of a type that no product is made of");
  Range("m", s.m, 0, 4095);
  Range("n", s.n, 0, 4095);
  Range("k", s.k, 0, 4095);
  if (const uint32_t unit = c_.n[AKGEN_MMAD_UNIT_FLAG]; unit == 1 || unit > 3)
    Broken("unitFlag is " + std::to_string(unit) + ", and takes 0, 2 and 3");
  if (s.m > 4095 || s.n > 4095 || s.k > 4095) return;
  Memory* a = At(c_.src_position, MemoryId::L0A, "the left matrix");
  Memory* b = At(c_.src1_position, MemoryId::L0B, "the right matrix");
  Memory* l0c = At(c_.dst_position, MemoryId::L0C, "the result");
  const auto start = Initial(std::min(2u, c_.n[AKGEN_MMAD_START]));
  Memory* bias = start == Initial::kBias ? &core_.memory(MemoryId::BT) : nullptr;
  if (!a || !b || !l0c) return;
  const bool sparse = c_.n[AKGEN_MMAD_SPARSE] != 0;
  if (c_.src_type == AKGEN_I4 && s.k % 2) Broken("k is even for elements of 4 bits");
  if (c_.src_type == AKGEN_I4 && bias) Broken("elements of 4 bits take no bias");
  if (sparse && c_.n[AKGEN_MMAD_K_ALIGN]) Broken("kDirectionAlign is not for sparse weights");
  // Without a tensor for it the bias is what BiasTable begins with.
  const void* bias_at = bias ? (c_.src2 ? c_.src2 : bias->base()) : nullptr;
  MmadShape right = s;
  if (sparse) right.k = (s.k + 1) / 2;
  const uint64_t c_bytes = BytesOfC(s.m, s.n);
  if (!Announce(*a, c_.src, BytesOfA(s), false, 512) ||
      !Announce(*b, c_.src1, BytesOfB(right), false, 512) ||
      (bias && !Announce(*bias, bias_at, size_t(s.n) * 4, false, 64)) ||
      (start == Initial::kKeep && !Announce(*l0c, c_.dst, c_bytes, false, 1024)) ||
      !Announce(*l0c, c_.dst, c_bytes, true, 1024))
    return;
  const auto* left = static_cast<const uint8_t*>(c_.src);
  const auto* weights = static_cast<const uint8_t*>(c_.src1);
  std::vector<uint8_t> dense;
  if (sparse) Sparse(s, left, weights, &dense), weights = dense.data();
  Multiply(s, left, weights, start, static_cast<const uint8_t*>(bias_at),
           static_cast<uint8_t*>(c_.dst));
  if (core_.watch.init.on()) SpreadUndefined(s, start, *a, *b, bias, *l0c);
}

// An element of C is defined where its row of A, its column of B and its start are. What lies in
// its fractals beyond m and n is nobody's.
void CubeMmad::SpreadUndefined(const MmadShape& s, Initial start, Memory& a, Memory& b,
                               Memory* bias, Memory& l0c) {
  const uint32_t at_a = a.OffsetOf(c_.src), at_b = b.OffsetOf(c_.src1), at_c = l0c.OffsetOf(c_.dst);
  const bool sparse = c_.n[AKGEN_MMAD_SPARSE] != 0;
  MmadShape right = s;
  if (sparse) right.k = (s.k + 1) / 2;
  const bool whole = s.m % kSide == 0 && s.n % kSide == 0;
  const bool known =
      a.defined.Defined(at_a, BytesOfA(s)) && b.defined.Defined(at_b, BytesOfB(right)) &&
      (start != Initial::kKeep || l0c.defined.Defined(at_c, BytesOfC(s.m, s.n))) &&
      (!bias || bias->defined.Defined(c_.src2 ? bias->OffsetOf(c_.src2) : 0, size_t(s.n) * 4));
  if (known && whole) return l0c.defined.Set(at_c, BytesOfC(s.m, s.n), true);
  const uint32_t per_row = PerRow(std::max(4u, BitsOf(c_.src_type))), bits = kRow * 8 / per_row;
  auto line_bytes = [&](uint32_t count) { return (count * bits + 7) / 8; };
  std::vector<uint8_t> row(s.m, 1), column(s.n, 1);
  uint32_t origin = 0;
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t k = 0; k < s.k && row[i]; k += per_row) {
      const size_t from = at_a + OffsetOfA(s, i, k);
      if (a.defined.Defined(from, line_bytes(std::min(per_row, s.k - k)))) continue;
      row[i] = 0;
      origin = l0c.origins.Brought(a.origins, from);
    }
  for (uint32_t j = 0; j < s.n; ++j) {
    for (uint32_t k = 0; k < right.k && column[j]; k += per_row)
      column[j] = b.defined.Defined(at_b + OffsetOfB(right, k, j),
                                    line_bytes(std::min(per_row, right.k - k)));
    if (bias)
      column[j] =
          column[j] && bias->defined.Defined((c_.src2 ? bias->OffsetOf(c_.src2) : 0) + j * 4, 4);
  }
  for (uint32_t i = 0; i < Ceil(s.m, kSide) * kSide; ++i)
    for (uint32_t j = 0; j < Ceil(s.n, kSide) * kSide; ++j) {
      const size_t at = at_c + OffsetOfC(s.m, i, j);
      const bool inside = i < s.m && j < s.n;
      const bool kept = start != Initial::kKeep || l0c.defined.Defined(at, 4);
      if (inside && row[i] && column[j] && kept)
        l0c.defined.Set(at, 4, true);
      else
        l0c.Undefine(at, 4, origin);
    }
}

// B as the dense matrix that its pairs of two bits stand for: of every four elements along K two
// are kept, the first of them from the first three places, the second from the last three.
void CubeMmad::Sparse(const MmadShape& s, const uint8_t*, const uint8_t* b,
                      std::vector<uint8_t>* dense) const {
  dense->assign(BytesOfB(s), 0);
  const Memory& l0b = core_.memory(MemoryId::L0B);
  const auto& index = core_.cube_state.sparse_index;
  MmadShape half = s;
  half.k = (s.k + 1) / 2;
  for (uint32_t j = 0; j < s.n; ++j)
    for (uint32_t pair = 0; pair * 4 < s.k; ++pair) {
      const uint64_t from = OffsetOfB(half, pair * 2, j);
      const uint64_t place = (l0b.OffsetOf(b) + from) * 2;  // bits of the index
      const uint8_t bits = place / 8 < index.size() ? uint8_t(index[place / 8] >> (place % 8)) : 0;
      const uint32_t first = bits & 3, second = (bits >> 2 & 3) + 1;
      if (pair * 4 + first < s.k) (*dense)[OffsetOfB(s, pair * 4 + first, j)] = b[from];
      if (pair * 4 + second < s.k && pair * 2 + 1 < half.k)
        (*dense)[OffsetOfB(s, pair * 4 + second, j)] = b[from + 1];
    }
}

}  // namespace akgen::sim
