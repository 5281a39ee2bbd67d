// Fixpipe, and DataCopy from CO1: rows of L0C, converted, to Global Memory or L1.
#include <algorithm>
#include <cstring>

#include "sim/exec/atomic_store.h"
#include "sim/exec/cube_unit.h"
#include "sim/exec/launch_state.h"
#include "sim/exec/left_modes.h"

namespace akgen::sim {
namespace {
using namespace cube;
constexpr uint32_t kColumn = 64;  // bytes that a row of a column of fractals has in L0C
}  // namespace

struct CubeFixpipe::Out {
  Conversion how;
  uint32_t n, m, src_stride, dst_stride, matrices, src_matrix, dst_matrix,
      bytes;  // bytes of an element
  bool rows, split;
  Memory* l1;   // nullptr: to Global Memory
  Memory* l0c;  // what it takes from
};

bool CubeFixpipe::CheckFixpipe(const Conversion& how) {
  if (how.mode >= kQuantModes) {
    Broken("this quantisation mode does not exist on this chip");
    return false;
  }
  if (!Converts(how.mode, c_.src_type, c_.dst_type)) {
    Broken("quantPre does not turn the source's type into the destination's");
    return false;
  }
  const uint32_t* n = c_.n;
  const bool rows = n[AKGEN_FIX_ROWS] != 0, split = n[AKGEN_FIX_SPLIT] != 0;
  Range("nSize", n[AKGEN_FIX_N], 0, 4095);
  Range("mSize", n[AKGEN_FIX_M], 0, rows ? 8192 : 65535);
  if (!n[AKGEN_FIX_DST_STRIDE]) Broken("dstStride is 0");
  if (!rows && n[AKGEN_FIX_N] % (split ? 8 : 16))
    Broken("nSize is " + std::to_string(n[AKGEN_FIX_N]) + ", and a multiple of " +
           (split ? "8" : "16") + " for NZ");
  if (split && (c_.src_type != AKGEN_F32 || rows || c_.dst_position != AKGEN_POS_GM ||
                n[AKGEN_FIX_UNIT_FLAG]))
    Broken("isChannelSplit is for float in NZ to Global Memory, without unitFlag");
  if (const uint32_t unit = n[AKGEN_FIX_UNIT_FLAG]; unit == 1 || unit > 3)
    Broken("unitFlag is " + std::to_string(unit) + ", and takes 0, 2 and 3");
  return true;
}

void CubeFixpipe::CheckWords(const std::vector<uint64_t>& words) {
  const auto bad = std::find_if_not(words.begin(), words.end(), HasScale);
  if (bad == words.end()) return;
  Broken("the scale of quantisation word " + std::to_string(bad - words.begin()) + " is " +
         NameOfScale(*bad) + ", and must be a normal number or zero");
}

// Quantisation words: one of the instruction or a register, or one for each channel, out of L1 by
// way of the Fixpipe Buffer or out of that itself. nullptr: there are none (reported), or none are
// needed.
const uint64_t* CubeFixpipe::Words(const Conversion& how, uint32_t n, std::vector<uint64_t>* kept) {
  const bool registers = c_.n[AKGEN_FIX_FORM] != 0;
  if (!OfChannels(how.mode)) {
    kept->assign(1, registers ? c_.registers[AKGEN_CUBE_REG_QUANT_WORD] : c_.value);
    if (!TakesWord(how.mode)) return nullptr;
    if (registers) NeedRegister(AKGEN_CUBE_REG_QUANT_WORD, "SetFixpipePreQuantFlag");
    CheckWords(*kept);
    return kept->data();
  }
  kept->assign(n, 0);
  // Without a tensor of them the words are where SetFixPipeConfig said.
  const bool table = registers || !c_.src1;
  if (!registers && table &&
      !(c_.registers[AKGEN_CUBE_REG_WRITTEN] >> AKGEN_CUBE_REG_QUANT_TABLE & 1))
    return Broken("a mode of one word for each channel needs their tensor"), nullptr;
  if (table) NeedRegister(AKGEN_CUBE_REG_QUANT_TABLE, "SetFixPipeConfig");
  Memory& m = core_.memory(table ? MemoryId::FB : MemoryId::L1);
  const void* at =
      table
          ? m.At(uint32_t(std::min<uint64_t>(c_.registers[AKGEN_CUBE_REG_QUANT_TABLE], m.bytes())))
          : c_.src1;
  if (!Announce(m, at, size_t(n) * 8, false, table ? 1 : 32)) return nullptr;
  std::memcpy(kept->data(), at, size_t(n) * 8);
  if (core_.watch.init.on() && !m.defined.Defined(m.OffsetOf(at), size_t(n) * 8))
    core_.watch.init.OnOffsets(m, m.OffsetOf(at), size_t(n) * 8, name_);
  else
    CheckWords(*kept);
  return kept->data();
}

// `n` elements side by side in L0C to as many side by side at `dst`.
void CubeFixpipe::StoreRun(const Out& out, const uint8_t* src, uint32_t n, const uint64_t* words,
                           uint8_t* dst) {
  uint8_t bytes[4 * kSide];
  Convert(out.how, src, n, words, OfChannels(out.how.mode) ? 1 : 0, bytes);
  if (!out.l1) return StoreGm(out, src, n, bytes, dst);
  const size_t length = size_t(n) * out.bytes;
  Memory& l0c = *out.l0c;
  const uint32_t from = l0c.OffsetOf(src);
  std::memcpy(dst, bytes, length);
  core_.watch.init.OnDefine(*out.l1, out.l1->OffsetOf(dst), length);
  if (!core_.watch.init.on() || l0c.defined.Defined(from, size_t(n) * 4)) return;
  for (uint32_t i = 0; i < n; ++i)
    if (!l0c.defined.Defined(from + 4 * i, 4))
      core_.watch.init.OnUndefine(*out.l1, out.l1->OffsetOf(dst) + i * out.bytes, out.bytes,
                                  out.l1->origins.Brought(l0c.origins, from));
}

// Elements of one row of L0C, from column `src` on, converted before, to Global Memory.
void CubeFixpipe::StoreGm(const Out& out, const uint8_t* src, uint32_t n, const uint8_t* bytes,
                          uint8_t* dst) {
  const size_t length = size_t(n) * out.bytes;
  const Access write{
      .at = dst, .bytes = length, .write = true, .pipe = core_.now.pipe, .what = name_};
  Region* r = core_.watch.AllowGm(write);
  if (!r) return;
  const bool atomic = state_.atomic_op != 0;
  if (state_.atomic_left)
    ReportLeftMode(core_, core_.registers.atomic_site, "atomic copies are", name_,
                   "adds where it means to store");
  core_.watch.TouchGm(*r, write, atomic, bytes);
  if (atomic)
    AtomicStore(state_.atomic_op, state_.atomic_type, dst, bytes, length), r->was_read = true;
  else
    std::memcpy(dst, bytes, length);
  core_.counts.bytes_out += length;
  if (!core_.watch.init.on()) return;
  Memory& l0c = *out.l0c;
  const uint32_t from = l0c.OffsetOf(src);
  auto at = [&](uint32_t i) { return from + i / kSide * out.src_stride * kColumn + i % kSide * 4; };
  bool known = true;
  for (uint32_t i = 0; known && i < n; i += kSide)
    known = l0c.defined.Defined(at(i), std::min(kSide, n - i) * 4);
  if (known && r->all_defined) return;
  DefinedBits made;
  made.Resize(length);
  made.Set(0, length, true);
  uint32_t first = from;
  for (uint32_t i = 0; !known && i < n; ++i)
    if (!l0c.defined.Defined(at(i), 4))
      made.Set(size_t(i) * out.bytes, out.bytes, false), first = at(i);
  core_.watch.init.OnStoreMade(l0c, first, made, length, *r, size_t(dst - r->base), atomic);
}

// A whole row of the result, if it is all in one tensor; else by columns of fractals, so that what
// has a place gets it.
void CubeFixpipe::StoreRow(const Out& out, uint32_t matrix, uint32_t row, const uint64_t* words) {
  const auto* src = static_cast<const uint8_t*>(c_.src) + size_t(matrix) * out.src_matrix * 1024 +
                    size_t(row) * kColumn;
  auto* dst = static_cast<uint8_t*>(c_.dst) +
              (size_t(matrix) * out.dst_matrix + size_t(row) * out.dst_stride) * out.bytes;
  const size_t length = size_t(out.n) * out.bytes;
  const Region* r = Gm().Find(dst);
  const bool whole = r && length <= r->bytes && size_t(dst - r->base) <= r->bytes - length;
  static thread_local std::vector<uint8_t> bytes;
  bytes.resize(length);
  for (uint32_t j = 0; j < out.n; j += kSide) {
    const uint8_t* from = src + size_t(j / kSide) * out.src_stride * kColumn;
    const uint32_t n = std::min(kSide, out.n - j);
    const uint64_t* of = words && OfChannels(out.how.mode) ? words + j : words;
    if (whole)
      Convert(out.how, from, n, of, OfChannels(out.how.mode) ? 1 : 0,
              &bytes[size_t(j) * out.bytes]);
    else
      StoreRun(out, from, n, of, dst + size_t(j) * out.bytes);
  }
  if (whole) StoreGm(out, src, out.n, bytes.data(), dst);
}

void CubeFixpipe::Store(const Out& out, uint32_t matrix, const uint64_t* words) {
  const auto* src = static_cast<const uint8_t*>(c_.src) + size_t(matrix) * out.src_matrix * 1024;
  auto* dst = static_cast<uint8_t*>(c_.dst);
  const uint32_t wide = out.split        ? 8
                        : out.bytes == 1 ? 32
                                         : 16;  // elements of a row of a column, in NZ
  for (uint32_t j = 0; j < out.n; j += kSide)
    if (!Announce(*out.l0c, src + size_t(j / kSide) * out.src_stride * kColumn,
                  size_t(out.m) * kColumn, false, 64))
      return;
  if (out.l1)
    for (uint32_t j = 0; j < out.n; j += wide)
      if (!Announce(*out.l1, dst + size_t(j / wide) * out.dst_stride * kRow,
                    size_t(out.m) * wide * out.bytes, true, 32))
        return;
  for (uint32_t i = 0; i < out.m; ++i) {
    if (out.rows) {
      StoreRow(out, matrix, i, words);
      continue;
    }
    for (uint32_t j = 0; j < out.n;) {
      const uint32_t n = std::min(std::min(kSide, wide) - j % std::min(kSide, wide), out.n - j);
      const uint8_t* from =
          src + size_t(j / kSide) * out.src_stride * kColumn + size_t(i) * kColumn + j % kSide * 4;
      const size_t to =
          size_t(j / wide) * out.dst_stride * kRow + (size_t(i) * wide + j % wide) * out.bytes;
      StoreRun(out, from, n, words && OfChannels(out.how.mode) ? words + j : words, dst + to);
      j += n;
    }
  }
}

void CubeFixpipe::Fixpipe() {
  Out out{};
  const uint32_t* f = c_.n;
  out.how.mode = uint8_t(std::min<uint32_t>(f[AKGEN_FIX_QUANT], 255));
  out.how.from = c_.src_type;
  out.how.relu = f[AKGEN_FIX_RELU] != 0;
  out.how.keep_infinity = core_.registers.ctrl >> 48 & 1;
  out.n = f[AKGEN_FIX_N], out.m = f[AKGEN_FIX_M];
  out.src_stride = f[AKGEN_FIX_SRC_STRIDE], out.dst_stride = f[AKGEN_FIX_DST_STRIDE];
  out.rows = f[AKGEN_FIX_ROWS] != 0, out.split = f[AKGEN_FIX_SPLIT] != 0;
  out.matrices = 1;
  if (out.rows) {
    const uint64_t nd = c_.registers[AKGEN_CUBE_REG_ND];
    const bool registers = f[AKGEN_FIX_FORM] != 0;
    if (registers) NeedRegister(AKGEN_CUBE_REG_ND, "SetFixpipeNz2ndFlag");
    out.matrices = registers ? uint16_t(nd) : f[AKGEN_FIX_ND_NUM];
    out.src_matrix = registers ? uint16_t(nd >> 16) : f[AKGEN_FIX_SRC_ND_STRIDE];
    out.dst_matrix = registers ? uint32_t(nd >> 32) : f[AKGEN_FIX_DST_ND_STRIDE];
  }
  if (!out.n || !out.m || !out.matrices || !CheckFixpipe(out.how)) return;
  out.bytes = BytesAfter(out.how);
  out.l0c = At(c_.src_position, MemoryId::L0C, "the source");
  if (!out.l0c) return;
  if (c_.dst_position != AKGEN_POS_GM) {
    out.l1 = At(c_.dst_position, MemoryId::L1, "the destination");
    if (!out.l1) return;
    if (out.rows || out.how.mode == kNoQuant)
      return Broken("to L1 goes NZ only, and not without quantPre");
  } else if (!out.rows && reinterpret_cast<uintptr_t>(c_.dst) % 32) {
    Broken("NZ begins at a multiple of 32 bytes in Global Memory");
  }
  std::vector<uint64_t> kept;
  const uint64_t* words = Words(out.how, out.n, &kept);
  if (TakesWord(out.how.mode) && !words) return;
  for (uint32_t g = 0; g < out.matrices; ++g) Store(out, g, words);
}

}  // namespace akgen::sim
