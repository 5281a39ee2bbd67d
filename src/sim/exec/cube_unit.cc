// The Cube core: which instruction, what all share, and what loads do.
#include "sim/exec/cube_unit.h"

#include <algorithm>
#include <cstring>

#include "sim/exec/launch_state.h"
#include "sim/machine/positions.h"

namespace akgen::sim {
namespace {
using namespace cube;
constexpr const char* kNames[AKGEN_CUBE_OP_COUNT] = {"DataCopy (ND2NZ)",
                                                     "LoadData",
                                                     "LoadDataWithTranspose",
                                                     "LoadData (3D)",
                                                     "LoadDataWithSparse",
                                                     "Fill",
                                                     "DataCopy",
                                                     "Mmad",
                                                     "Fixpipe"};
const uint8_t* Bytes(const void* p) { return static_cast<const uint8_t*>(p); }
}  // namespace

namespace {
template <class Instruction, void (Instruction::*kBody)()>
void Do(Core& core, const AkgenCube& c, const IssueState& state) {
  (Instruction(core, c, state, kNames[c.op]).*kBody)();
}
}  // namespace

void RunCubeInstruction(Core& core, const AkgenCube& c, const IssueState& state) {
  constexpr void (*kBodies[AKGEN_CUBE_OP_COUNT])(Core&, const AkgenCube&, const IssueState&) = {
      Do<CubeMoves, &CubeMoves::Nd2Nz>,       Do<CubeMoves, &CubeMoves::Load2d>,
      Do<CubeMoves, &CubeMoves::LoadSquares>, Do<CubeImage, &CubeImage::Load3d>,
      Do<CubeMoves, &CubeMoves::LoadSparse>,  Do<CubeMoves, &CubeMoves::Fill>,
      Do<CubeMoves, &CubeMoves::ToTable>,     Do<CubeMmad, &CubeMmad::Mmad>,
      Do<CubeFixpipe, &CubeFixpipe::Fixpipe>};
  if (c.op < AKGEN_CUBE_OP_COUNT) kBodies[c.op](core, c, state);
}

Memory* CubeInstruction::At(uint8_t position, MemoryId id, MemoryId or_id, const char* operand) {
  const PositionRow* row = RowOfPosition(position);
  if (row && (row->memory == id || row->memory == or_id) && core_.memories.Has(row->memory))
    return &core_.memory(row->memory);
  Broken(std::string(operand) + " lies at " +
         (row ? std::string("TPosition::") + row->name : "no position") + ", and must lie in " +
         RowOf(id).name + (id == or_id ? "" : std::string(" or ") + RowOf(or_id).name));
  return nullptr;
}

bool CubeInstruction::Announce(Memory& m, const void* at, size_t bytes, bool write,
                               uint32_t align) {
  const Access a{.at = at,
                 .bytes = bytes,
                 .write = write,
                 .pipe = core_.now.pipe,
                 .what = name_,
                 .align = align};
  if (!core_.watch.Allow(m, a)) return false;
  if (bytes) core_.watch.Touch(m, a);
  return true;
}

void CubeInstruction::Broken(const std::string& rule, bool warning) {
  if (core_.watch.mem.on())
    core_.findings.Report(FindingKind::kBrokenRule, std::string(name_) + ": " + rule, warning);
}

void CubeInstruction::Range(const char* field, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return;
  Broken(std::string(field) + " is " + std::to_string(value) + ", and takes " +
         std::to_string(least) + " to " + std::to_string(most));
}

void CubeInstruction::NeedRegister(uint32_t which, const char* set_by) {
  if (!(c_.registers[AKGEN_CUBE_REG_WRITTEN] >> which & 1))
    Broken(std::string(set_by) + " comes before it");
}

uint32_t CubeInstruction::Bits() const { return std::max(4u, BitsOf(c_.src_type)); }

// Columns of 32-byte rows that follow each other are one access.
bool CubeMoves::AnnounceColumns(Memory& to, const cube::Nd2Nz& p) {
  const auto* dst = static_cast<uint8_t*>(c_.dst);
  for (uint32_t g = 0; g < p.matrices; ++g)
    for (uint32_t column = 0; column < p.Groups(); ++column) {
      const uint32_t align = g || column ? 1 : 32;
      if (p.dst_row == 1) {
        if (!Announce(to, dst + p.Target(g, 0, column), size_t(p.rows) * kRow, true, align))
          return false;
        continue;
      }
      for (uint32_t row = 0; row < p.rows; ++row)
        if (!Announce(to, dst + p.Target(g, row, column), kRow, true, row ? 1 : align))
          return false;
    }
  return true;
}

// Every byte of the matrix exists, is defined, and comes to lie in whole columns.
bool CubeMoves::AllThere(const cube::Nd2Nz& p, uint32_t matrix) const {
  if (p.dst_row != 1) return false;
  const uint8_t* first = Bytes(c_.src) + p.Source(matrix, 0);
  const Region* r = Gm().Find(first);
  const uint64_t bytes = p.Source(matrix, p.rows - 1) - p.Source(matrix, 0) + p.RowBytes();
  return r && r->all_defined && bytes <= r->bytes && size_t(first - r->base) <= r->bytes - bytes;
}

void CubeMoves::Nd2NzRow(Memory& to, const cube::Nd2Nz& p, uint32_t matrix, uint32_t row,
                         bool all_there) {
  const uint8_t* src = Bytes(c_.src) + p.Source(matrix, row);
  auto* dst = static_cast<uint8_t*>(c_.dst);
  const size_t bytes = p.RowBytes();
  size_t usable = bytes;
  const Access read{
      .at = src, .bytes = bytes, .write = false, .pipe = core_.now.pipe, .what = name_};
  Region* r = core_.watch.AllowGm(read, &usable);
  if (!r) usable = 0;
  if (usable)
    core_.watch.TouchGm(
        *r, {.at = src, .bytes = usable, .write = false, .pipe = core_.now.pipe, .what = name_});
  core_.counts.bytes_in += bytes;
  uint32_t column = 0;
  for (; all_there && (column + 1) * kRow <= bytes; ++column)
    std::memcpy(dst + p.Target(matrix, row, column), src + size_t(column) * kRow, kRow);
  for (; column < p.Groups(); ++column) {
    uint8_t* piece = dst + p.Target(matrix, row, column);
    const size_t from = size_t(column) * kRow, n = std::min<size_t>(kRow, bytes - from);
    const size_t there = usable > from ? std::min(n, usable - from) : 0;
    if (there) std::memcpy(piece, src + from, there);
    std::memset(piece + there, 0, kRow - there);
    const uint32_t at = to.OffsetOf(piece);
    if (there == n)
      core_.watch.init.OnLoad(to, {at, kRow, 0, n, true}, *r, size_t(src + from - r->base));
    else
      core_.watch.init.OnForeignLoad(to, at, kRow);
  }
}

void CubeMoves::Nd2Nz() {
  const cube::Nd2Nz p(
      c_, std::max(8u, BitsOf(c_.src_type)));  // two elements of 4 bits are one of 8 here
  if (!p.matrices || !p.rows || !p.columns) return;
  Memory* to = At(c_.dst_position, MemoryId::L1, "the destination");
  if (!to) return;
  Range("ndNum", p.matrices, 0, 4095);
  Range("nValue", p.rows, 0, 16384);
  if (p.rows > 1) Range("srcDValue", p.src_row, 1, 65535);
  if (p.rows > 1) Range("dstNzNStride", p.dst_row, 1, 16384);
  if (p.Groups() > 1) Range("dstNzC0Stride", p.dst_column, 1, 16384);
  if (p.matrices > 1) Range("dstNzMatrixStride", p.dst_matrix, 0, 16384);
  if (!AnnounceColumns(*to, p)) return;
  for (uint32_t g = 0; g < p.matrices; ++g) {
    const bool all = AllThere(p, g);
    for (uint32_t row = 0; row < p.rows; ++row) Nd2NzRow(*to, p, g, row, all);
    for (uint32_t column = 0; all && column < p.Groups(); ++column)
      core_.watch.init.OnDefine(
          *to, to->OffsetOf(static_cast<uint8_t*>(c_.dst) + p.Target(g, 0, column)),
          size_t(p.rows) * kRow);
  }
}

void CubeMoves::LoadFromGm(Memory& to, const uint8_t* src, uint8_t* dst, size_t bytes) {
  size_t usable = bytes;
  const Access read{
      .at = src, .bytes = bytes, .write = false, .pipe = core_.now.pipe, .what = name_};
  Region* r = core_.watch.AllowGm(read, &usable);
  if (!r || usable < bytes) return core_.watch.init.OnForeignLoad(to, to.OffsetOf(dst), bytes);
  core_.watch.TouchGm(*r, read);
  std::memcpy(dst, src, bytes);
  core_.watch.init.OnLoad(to, {to.OffsetOf(dst), bytes, 0, bytes, true}, *r, size_t(src - r->base));
  core_.counts.bytes_in += bytes;
}

void CubeInstruction::MoveFractal(Memory& from, const uint8_t* src, Memory& to, uint8_t* dst,
                                  bool transpose) {
  if (!transpose) {
    std::memmove(dst, src, kFractal);
    return core_.watch.init.OnMove(from, from.OffsetOf(src), to, to.OffsetOf(dst), kFractal);
  }
  uint16_t x[kSide][kSide], y[kSide][kSide];
  std::memcpy(x, src, sizeof x);
  for (uint32_t i = 0; i < kSide; ++i)
    for (uint32_t j = 0; j < kSide; ++j) y[j][i] = x[i][j];
  std::memcpy(dst, y, sizeof y);
  const uint32_t at = from.OffsetOf(src), put = to.OffsetOf(dst);
  if (from.defined.Defined(at, kFractal)) return core_.watch.init.OnDefine(to, put, kFractal);
  for (uint32_t i = 0; i < kSide; ++i)
    for (uint32_t j = 0; j < kSide; ++j)
      core_.watch.init.OnMove(from, at + i * kRow + j * 2, to, put + j * kRow + i * 2, 2);
}

void CubeMoves::Load2d() {
  const cube::Load2d p(c_);
  if (!p.repeats) return;
  const bool of_gm = c_.src_position == AKGEN_POS_GM;
  const PositionRow* row = RowOfPosition(c_.dst_position);
  const bool to_l1 = of_gm && row && row->memory == MemoryId::L1;
  Memory* to = to_l1 ? &core_.memory(MemoryId::L1)
                     : At(c_.dst_position, MemoryId::L0A, MemoryId::L0B, "the destination");
  Memory* from = of_gm ? nullptr : At(c_.src_position, MemoryId::L1, "the source");
  if (!to || (!of_gm && !from)) return;
  if (p.transpose && (of_gm || Bits() != 16))
    Broken(
        "ifTranspose takes elements of 16 bits from L1: LoadDataWithTranspose has the other "
        "widths");
  if (p.descending && !of_gm) Broken("addrMode 1 is for sources in Global Memory");
  if (of_gm && Bits() == 4) Broken("elements of 4 bits do not come from Global Memory");
  for (uint32_t i = 0; i < p.repeats; ++i) {
    const uint8_t* src = Bytes(c_.src) + p.Source(i);
    auto* dst = static_cast<uint8_t*>(c_.dst) + p.Target(i);
    if (from && !Announce(*from, src, kFractal, false, i ? 1 : 32)) return;
    if (!Announce(*to, dst, kFractal, true, i ? 1 : to->row().align)) return;
    if (from)
      MoveFractal(*from, src, *to, dst, p.transpose);
    else
      LoadFromGm(*to, src, dst, kFractal);
  }
}

void CubeMoves::LoadSquares() {
  const SquareLoad p(c_, Bits());
  if (!p.repeats) return;
  Memory* to = At(c_.dst_position, MemoryId::L0A, MemoryId::L0B, "the destination");
  Memory* from = At(c_.src_position, MemoryId::L1, "the source");
  if (!to || !from) return;
  if (p.bits == 4 && to->id() != MemoryId::L0B) Broken("elements of 4 bits go to L0B only");
  const uint32_t per_row = PerRow(p.bits), fractals = p.Fractals(),
                 bytes = std::max(1u, p.bits / 8);
  for (uint32_t i = 0; i < p.repeats; ++i) {
    const uint8_t* src = Bytes(c_.src) + p.Source(i);
    if (!Announce(*from, src, size_t(fractals) * kFractal, false, i ? 1 : 32)) return;
    for (uint32_t f = 0; f < fractals; ++f) {
      auto* dst = static_cast<uint8_t*>(c_.dst) + p.Target(i, f);
      if (!Announce(*to, dst, kFractal, true, i || f ? 1 : to->row().align)) return;
      for (uint32_t line = 0; line < kSide; ++line)
        for (uint32_t e = 0; e < per_row; ++e) {
          const uint32_t at = p.From(f, line, e), put = line * per_row + e;
          if (p.bits == 4) {
            const uint8_t x = uint8_t(src[at / 2] >> (at % 2 * 4) & 15);
            uint8_t& y = dst[put / 2];
            y = put % 2 ? uint8_t((y & 15) | x << 4) : x;
            core_.watch.init.OnMove(*from, from->OffsetOf(src) + at / 2, *to,
                                    to->OffsetOf(dst) + put / 2, 1);
            continue;
          }
          std::memcpy(dst + put * bytes, src + at * bytes, bytes);
          core_.watch.init.OnMove(*from, from->OffsetOf(src) + at * bytes, *to,
                                  to->OffsetOf(dst) + put * bytes, bytes);
        }
    }
  }
}

// The index lies with its weights: 128 bytes for each 512.
void CubeMoves::LoadSparse() {
  constexpr uint32_t kIndex = kFractal / 4;
  const cube::Load2d p(c_);
  Memory* to = At(c_.dst_position, MemoryId::L0B, "the destination");
  Memory* from = At(c_.src_position, MemoryId::L1, "the source");
  Memory* index = At(c_.src1_position, MemoryId::L1, "the index");
  if (!to || !from || !index) return;
  if (c_.src_type != AKGEN_I8) Broken("weights are of int8_t");
  auto& kept = core_.cube_state.sparse_index;
  if (kept.empty()) kept.resize(to->bytes() / 4);
  for (uint32_t i = 0; i < p.repeats; ++i) {
    const uint8_t* src = Bytes(c_.src) + (uint64_t(p.start) + i) * kFractal;
    const uint8_t* idx = Bytes(c_.src1) + (uint64_t(p.start) + i) * kIndex;
    auto* dst = static_cast<uint8_t*>(c_.dst) + uint64_t(i) * kFractal;
    if (!Announce(*from, src, kFractal, false, i ? 1 : 32) ||
        !Announce(*index, idx, kIndex, false, i ? 1 : 32) ||
        !Announce(*to, dst, kFractal, true, i ? 1 : 512))
      return;
    MoveFractal(*from, src, *to, dst, false);
    if (!index->defined.Defined(index->OffsetOf(idx), kIndex))
      core_.watch.init.OnUndefine(*to, to->OffsetOf(dst), kFractal);
    std::memcpy(&kept[to->OffsetOf(dst) / 4], idx, kIndex);
  }
}

void CubeMoves::Fill() {
  const PositionRow* row = RowOfPosition(c_.dst_position);
  const bool l1 = row && row->memory == MemoryId::L1;
  Memory* to = l1 ? &core_.memory(MemoryId::L1)
                  : At(c_.dst_position, MemoryId::L0A, MemoryId::L0B, "the destination");
  if (!to) return;
  const uint32_t unit = l1 ? kRow : kFractal, bytes = BitsOf(c_.dst_type) / 8;
  const size_t length = size_t(c_.n[1]) * unit;
  if (bytes != 2 && bytes != 4) return Broken("it takes elements of 16 and 32 bits");
  Range("repeatTimes", c_.n[0], 0, 32767);
  Range("blockNum", c_.n[1], 0, 32767);
  Range("dstGap", c_.n[2], 0, 32767);
  auto* dst = static_cast<uint8_t*>(c_.dst);
  for (uint32_t i = 0; length && i < c_.n[0]; ++i, dst += length + size_t(c_.n[2]) * unit) {
    if (!Announce(*to, dst, length, true, i ? 1 : to->row().align)) return;
    for (size_t e = 0; e < length; e += bytes) std::memcpy(dst + e, &c_.value, bytes);
    core_.watch.init.OnDefine(*to, to->OffsetOf(dst), length);
  }
}

// BiasTable: blocks of 64 bytes of the table, half becomes float on the way. Fixpipe Buffer: blocks
// of 128.
void CubeMoves::ToTable() {
  Memory* to = At(c_.dst_position, MemoryId::BT, MemoryId::FB, "the destination");
  Memory* from = At(c_.src_position, MemoryId::L1, "the source");
  if (!to || !from) return;
  const bool table = to->id() == MemoryId::FB,
             widens = c_.src_type == AKGEN_F16 && c_.dst_type == AKGEN_F32;
  if (table && BitsOf(c_.src_type) != 64) Broken("the Fixpipe Buffer takes uint64_t");
  const uint32_t unit = table ? 128 : 64;
  const size_t length = size_t(c_.n[1]) * unit, put = widens ? 2 * length : length;
  const uint8_t* src = Bytes(c_.src);
  auto* dst = static_cast<uint8_t*>(c_.dst);
  for (uint32_t i = 0; length && i < c_.n[0]; ++i) {
    if (!Announce(*from, src, length, false, i ? 1 : 32) ||
        !Announce(*to, dst, put, true, i ? 1 : to->row().align))
      return;
    if (!widens) {
      std::memcpy(dst, src, length);
      core_.watch.init.OnMove(*from, from->OffsetOf(src), *to, to->OffsetOf(dst), length);
    } else {
      for (size_t e = 0; e < length / 2; ++e) {
        _Float16 half;
        std::memcpy(&half, src + 2 * e, 2);
        const float wide = half;
        std::memcpy(dst + 4 * e, &wide, 4);
        core_.watch.init.OnMove(*from, from->OffsetOf(src + 2 * e), *to, to->OffsetOf(dst + 4 * e),
                                2);
        core_.watch.init.OnMove(*from, from->OffsetOf(src + 2 * e), *to,
                                to->OffsetOf(dst + 4 * e + 2), 2);
      }
    }
    src += table ? size_t(c_.n[2]) * kRow : length + size_t(c_.n[2]) * kRow;
    dst += put + size_t(c_.n[3]) * unit;
  }
}

}  // namespace akgen::sim
