// Walks the table of vector instructions (akgen/vec_ops.inc): every row is complete, agrees with
// itself and with its body, and every column has somebody who reads it.
#include <gtest/gtest.h>

#include <limits>

#include <array>
#include <map>

#include "../golden.h"
#include "base/hash.h"
#include "sim/exec/core.h"
#include "sim/ops/tmp.h"
#include "sim/trace/trace.h"
#include "values.h"

namespace akgen::sim::test {
namespace {

constexpr uint8_t kDtypes[] = {
    AKGEN_F32, AKGEN_F16, AKGEN_BF16, AKGEN_I8,  AKGEN_U8,   AKGEN_I16, AKGEN_U16, AKGEN_I32,
    AKGEN_U32, AKGEN_I64, AKGEN_U64,  AKGEN_F64, AKGEN_BOOL, AKGEN_C64, AKGEN_I4,  AKGEN_NO_DTYPE};

template <class Test>
void ForEveryRow(Test test) {
  for (uint32_t op = 0; op < AKGEN_OP_COUNT_; ++op) {
    SCOPED_TRACE(VecOpName(op));
    test(op, RowOf(op));
  }
}
// Dtypes of some legal instruction.
AkgenVec Legal(uint32_t op) {
  for (uint8_t dst : kDtypes)
    for (uint8_t src : kDtypes)
      if (RowOf(op).Takes(dst, src)) {
        const Use second = RowOf(op).src1;
        const bool number = second == Use::offset || second == Use::index;
        return Instr(op, dst, src,
                     number                ? uint8_t(AKGEN_U32)
                     : second == Use::none ? uint8_t(AKGEN_NO_DTYPE)
                                           : src);
      }
  ADD_FAILURE() << "no dtype is legal";
  return Instr(op, AKGEN_F32, AKGEN_F32);
}

TEST(Table, RowsAreCompleteAndAgreeWithThemselves) {
  std::set<std::string> names;
  ForEveryRow([&](uint32_t, const VecRow& row) {
    const bool own = row.family == Family::own;
    EXPECT_TRUE(names.insert(row.name).second) << "twice";
    EXPECT_TRUE(std::any_of(std::begin(row.sources), std::end(row.sources),
                            [](uint32_t s) { return s != 0; }));
    EXPECT_NE(row.arch, 0);
    EXPECT_EQ(row.arch & ~(kArch2201 | kArch3510), 0);
    if (row.library)
      EXPECT_TRUE(own && row.list0.what == Listed::operands && row.size != Size::form);
    if (!own) {
      EXPECT_TRUE(row.list0.n == 0 && row.list1.n == 0 && row.aux0 == Use::none &&
                  row.aux3 == Use::none);
      EXPECT_TRUE(row.dst == Use::result && row.size == Size::form);
      EXPECT_TRUE(row.src1 == Use::none || row.src1 == Use::source);
    }
    for (const List& list : {row.list0, row.list1})
      EXPECT_EQ(list.n == 0, list.what == Listed::nothing);
    EXPECT_TRUE(row.dst == Use::result || row.list0.what == Listed::operands ||
                row.list0.what == Listed::results)
        << "no result";
    EXPECT_TRUE(row.dst_align == Align::block || (own && row.dst == Use::result));
    EXPECT_TRUE(row.list_align == Align::block || row.list0.n);
    if (row.converts) EXPECT_TRUE(row.family == Family::map1);
    if (row.cancels) EXPECT_TRUE(row.family == Family::map2 && row.Takes(AKGEN_I16, AKGEN_I16));
    if (row.moves) EXPECT_FALSE(row.tmp && !row.repeats) << "what needs working space calculates";
    EXPECT_FALSE(row.repeats && row.library);
  });
}

// Each combination that a row names has a body, and no other has one.
TEST(Table, LegalDtypesAreThoseThatExecute) {
  ForEveryRow([&](uint32_t op, const VecRow& row) {
    for (uint8_t dst : kDtypes)
      for (uint8_t src : kDtypes)
        for (uint8_t src1 : kDtypes) {
          AkgenVec v = Instr(op, dst, src, src1);
          bool body = false;
          for (uint8_t mode = 0; mode < 16 && !body; ++mode)
            for (uint8_t round = 0; round < 8 && !body; ++round)
              for (uint64_t aux : {0, 1}) {
                v.dst = &v, v.mode = mode, v.round_mode = round, v.aux[0] = aux;
                body = body ||
                       (row.family == Family::own ? FindOwn(v) != nullptr : FindRun(v) != nullptr);
              }
          // Library functions and masks say more of src1 than the row does.
          const bool narrower = row.library || op == AKGEN_OP_SelectWithBytesMask;
          if (body || !narrower)
            ASSERT_EQ(row.Takes(v), body) << int(dst) << " " << int(src) << " " << int(src1);
        }
    const AkgenVec v = Legal(op);
    EXPECT_TRUE(row.Takes(v));
  });
}

// Operands a DataBlock apart in the same bank group: an instruction over repeats loses time.
TEST(Table, BanksAreCountedForRepeats) {
  std::array<uint8_t, 16384> ub{};
  int counted = 0;
  ForEveryRow([&](uint32_t op, const VecRow& row) {
    AkgenVec v = Legal(op);
    v.form = AKGEN_FORM_MASK, v.set_mask = 1, v.mask[0] = 32, v.repeat = 2;
    v.dst = ub.data(), v.dst_blk = 16, v.dst_rep = 1;
    EXPECT_EQ(VectorEvent(v, ub.data(), 0).bank_reads > 0, row.repeats);
    counted += row.repeats;
  });
  EXPECT_GT(counted, 30);
}

TEST(Table, ArithmeticIsCountedInItsDtype) {
  int moving = 0, converting = 0;
  ForEveryRow([&](uint32_t op, const VecRow& row) {
    const AkgenVec v = Legal(op);
    Arithmetic counts;
    CountArithmetic(v, &counts);
    EXPECT_EQ(counts.by_dtype[v.src_type], row.moves || row.converts ? 0 : 1);
    moving += row.moves, converting += row.converts;
  });
  EXPECT_GT(moving, 20);
  EXPECT_EQ(converting, 1);
  for (const bool rounds :
       {false, true}) {  // what keeps its value, as conditions do on their way to bytes, is none
    Arithmetic counts;
    counts.rounds = rounds;
    CountArithmetic(Instr(AKGEN_OP_Cast, AKGEN_F16, AKGEN_F32), &counts);
    EXPECT_EQ(counts.narrowing_casts, rounds);
  }
}

TEST(Table, ACastRoundsWhereAValueIsAnotherOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  struct Row {
    float value;
    bool half, bfloat;
  };
  const Row rows[] = {{0, false, false},   {1, false, false},   {nan, false, false},
                      {inf, false, false}, {2049, true, true},  {257, false, true},
                      {256, false, false}, {1e-9f, true, true}, {65536, true, false},
                      {0.1f, true, true}};
  for (const Row& row : rows)
    for (const auto& [to, expected] : {std::pair(AKGEN_F16, row.half), {AKGEN_BF16, row.bfloat}}) {
      uint16_t out[3];
      const float in[3] = {1, row.value, 0};
      FindRun(Instr(AKGEN_OP_Cast, to, AKGEN_F32, AKGEN_NO_DTYPE, 1))(out, in, nullptr, 3,
                                                                      RunArgs{});  // CAST_RINT
      const bool rounds = LosesDigits(to, out, in, 3);
      EXPECT_EQ(rounds, expected) << row.value << (to == AKGEN_F16 ? " to half" : " to bfloat16");
    }
}

TEST(Table, SizesComeFromWhereTheRowSays) {
  std::map<Size, int> seen;
  ForEveryRow([&](uint32_t op, const VecRow& row) {
    AkgenVec v = Legal(op);
    v.form = AKGEN_FORM_COUNT, v.count = 77;
    v.aux[0] = 3, v.aux[1] = 5 | 7ull << 32, v.aux[2] = 11 | 13ull << 32;
    const std::map<Size, uint64_t> want = {{Size::form, 77},
                                           {Size::rows, 3 * (5 | 7ull << 32)},
                                           {Size::shape, 11 * 13},
                                           {Size::list, 5 * 7},
                                           {Size::groups, 5 * 7 * 13}};
    EXPECT_EQ(VectorEvent(v, nullptr, 0).n, std::min<uint64_t>(want.at(row.size), UINT32_MAX));
    ++seen[row.size];
  });
  EXPECT_EQ(seen.size(), 5u);
}

// Every operand that a row names is looked at where it starts, as what the row says it is.
TEST(Table, OperandsAreThoseOfTheRow) {
  std::array<uint8_t, 8192> ub{};
  ForEveryRow([&](uint32_t op, const VecRow& row) {
    if (row.family != Family::own) return;
    AkgenVec v = Legal(op);
    const void* lists[2][16];
    for (size_t i = 0; i < 32; ++i) lists[i / 16][i % 16] = &ub[1024 + 32 * i];
    v.dst = &ub[0], v.src0 = &ub[32], v.src1 = &ub[64], v.tmp = &ub[96], v.mode = 15,
    v.round_mode = 2;
    v.aux[0] =
        row.list0.n ? reinterpret_cast<uint64_t>(lists[0]) : reinterpret_cast<uint64_t>(&ub[128]);
    v.aux[1] = row.list1.n ? reinterpret_cast<uint64_t>(lists[1]) : 0;
    v.aux[3] = reinterpret_cast<uint64_t>(&ub[160]);
    std::map<const void*, bool> want = {{v.tmp, true}};
    auto add = [&](const void* at, Use use) {
      if (use != Use::none) want[at] = use == Use::result;
    };
    add(v.dst, row.dst), add(v.src0, row.src0), add(v.src1, row.src1), add(&ub[128], row.aux0),
        add(&ub[160], row.aux3);
    for (uint8_t i = 0; i < row.list0.n; ++i)
      want[lists[0][i]] =
          row.list0.what == Listed::results || (row.list0.what == Listed::operands && i < 2);
    for (uint8_t i = 0; i < row.list1.n; ++i) want[lists[1][i]] = row.list1.what == Listed::results;
    const Starts starts = StartsOf(v);
    std::map<const void*, bool> got;
    for (uint32_t i = 0; i < starts.count; ++i) got[starts.at[i].at] = starts.at[i].write;
    EXPECT_EQ(got, want);
  });
}

TEST(Table, WorkingSpaceIsTheRows) {
  int documented = 0;
  ForEveryRow([&](uint32_t op, const VecRow& row) {
    AkgenVec v = Legal(op);
    v.tmp = &v, v.tmp_bytes = 1 << 20;
    v.aux[0] = 2, v.aux[1] = 1, v.aux[2] = 8 | 8ull << 32;
    const int64_t want = row.tmp ? row.tmp(v, 1000) : 32;
    EXPECT_EQ(int64_t(TmpUse(v, 1000)), want < 0 ? 32 : want);
    documented += row.tmp != nullptr;
  });
  EXPECT_GT(documented, 40);
}

TEST(Table, EveryRateIsSomeRows) {
  std::set<Rate> rates;
  ForEveryRow([&](uint32_t, const VecRow& row) { rates.insert(row.rate); });
  EXPECT_EQ(rates.size(), kRates);
}

TEST(Table, WhatHasNoRowIsNothing) {
  EXPECT_STREQ(VecOpName(AKGEN_OP_COUNT_), "?");
  EXPECT_STREQ(VecOpName(0xffff), "?");
  EXPECT_EQ(FindOwn(Instr(0xffff, AKGEN_F32, AKGEN_F32)), nullptr);
}

// Working space of every instruction that takes some: what it may use and its least, over dtypes,
// counts, shapes of rows and modes. golden/temporaries.txt has a row for each; a digest stands for
// those of other shapes.
TEST(Table, TemporariesAreThoseOfTheTable) {
  std::string said;
  char buffer[64];
  const auto packed = [](uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; };
  ForEveryRow([&](uint32_t op, const VecRow&) {
    std::string all, first;
    bool any = false;
    for (const uint8_t type : {AKGEN_F32, AKGEN_F16, AKGEN_I32, AKGEN_I8})
      for (const uint32_t count : {1u, 8u, 63u, 64u, 65u, 128u, 1000u, 5000u})
        for (const uint64_t rows : {1u, 7u, 16u})
          for (const uint8_t flag : {0, 1}) {
            AkgenVec v{};
            v.op = uint16_t(op), v.src_type = v.dst_type = v.src1_type = type;
            v.count = count, v.flag = v.mode = flag;
            v.tmp = &v, v.tmp_bytes = 1u << 31;
            const uint32_t pitch = (count + 15) / 16 * 16;
            v.aux[0] = flag ? 2 : packed(uint32_t(rows), count);
            v.aux[1] = flag ? 1 : packed(pitch, uint32_t(rows));
            v.aux[2] = packed(uint32_t(flag ? count : rows), flag ? uint32_t(rows) : count);
            v.aux[3] = packed(1, flag);
            const uint64_t least = TmpLeast(v, count), use = TmpUse(v, count);
            any |= least > 0 || RowOf(op).tmp;
            std::snprintf(buffer, sizeof buffer, " %llu/%llu",
                          static_cast<unsigned long long>(least),
                          static_cast<unsigned long long>(use));
            (rows == 7 && count > 60 && count < 130 ? first : all) += buffer;
          }
    if (any)
      said +=
          std::string(VecOpName(op)) + ":" + first + " " + base::Sha256(all).substr(0, 12) + "\n";
  });
  AkgenVec none{};
  none.op = AKGEN_OP_Gelu, none.tmp_bytes = 4096;
  EXPECT_EQ(TmpUse(none, 100), 0u) << "without a tensor for it";
  none.tmp = &none;
  EXPECT_EQ(TmpUse(none, 1000), 4096u) << "no more than there is";
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "temporaries.txt", said);
}
}  // namespace
}  // namespace akgen::sim::test
