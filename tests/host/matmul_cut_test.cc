// Tilings of Matmul objects: whatever is asked for, an answer keeps every rule of
// host/matmul/cut.h.
#include "host/matmul/cut.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "../golden.h"

namespace akgen::host {
namespace {
using namespace matmul_tiling;

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  int32_t Below(int32_t n) { return int32_t(random_() % uint64_t(n)); }
  bool Chance(int32_t percent) { return Below(100) < percent; }
  int32_t Size() { return 1 + (Chance(50) ? Below(64) : Chance(70) ? Below(2000) : Below(70000)); }

 private:
  std::mt19937_64 random_;
};

AkgenProduct Product(Draw& draw) {
  constexpr struct {
    DataType in, out;
  } kTypes[] = {
      {DataType::DT_FLOAT16, DataType::DT_FLOAT}, {DataType::DT_FLOAT16, DataType::DT_FLOAT16},
      {DataType::DT_BF16, DataType::DT_FLOAT},    {DataType::DT_FLOAT, DataType::DT_FLOAT},
      {DataType::DT_INT8, DataType::DT_INT32},    {DataType::DT_INT8, DataType::DT_FLOAT16},
      {DataType::DT_INT4, DataType::DT_INT32}};
  AkgenProduct p;
  const auto& type = kTypes[draw.Below(7)];
  p.a.type = p.b.type = type.in, p.c.type = type.out;
  p.a.trans = type.in != DataType::DT_INT4 && draw.Chance(40), p.b.trans = draw.Chance(50);
  p.shape = {draw.Size(), draw.Size(), draw.Size()};
  p.org_m = p.shape.m, p.org_n = p.shape.n, p.org_ka = p.org_kb = p.shape.k;
  p.cores = 1 + draw.Below(48);
  p.has_bias = draw.Chance(40);
  p.split_k = !p.has_bias && draw.Chance(15);
  if (draw.Chance(20)) p.c.position = TPosition::VECIN;
  if (draw.Chance(20)) p.traverse = MatrixTraverse::FIRSTN;
  p.all_l1 = 512 * 1024 - 256, p.all_l0c = 128 * 1024, p.all_ub = 192 * 1024 - 256, p.all_bt = 1024;
  p.l0a = p.l0b = 64 * 1024;
  if (draw.Chance(20)) p.l1 = (32 + draw.Below(400)) * 1024;
  return p;
}

PlatformInfo A2() {
  PlatformInfo a2;
  a2.l1Size = 512 * 1024 - 256, a2.l0CSize = 128 * 1024, a2.ubSize = 192 * 1024 - 256,
  a2.btSize = 1024;
  a2.l0ASize = a2.l0BSize = 64 * 1024;
  return a2;
}

TEST(MatmulCut, EveryAnswerKeepsTheRules) {
  Draw draw(1);
  int answers = 0;
  for (int i = 0; i < 5000; ++i) {
    const AkgenProduct p = Product(draw);
    const auto cut = CutMatmul(p);
    if (!cut) continue;
    ++answers;
    ASSERT_STREQ(Legal(p, *cut), "") << "product " << i << ": " << p.shape.m << " x " << p.shape.n
                                     << " x " << p.shape.k << " on " << p.cores << " cores, base "
                                     << cut->baseM << " x " << cut->baseN << " x " << cut->baseK;
    EXPECT_EQ(cut->isBias, p.has_bias);
    EXPECT_EQ(cut->M, p.shape.m);
  }
  EXPECT_GT(answers, 4900);
}

// The answers themselves: another one is another kernel, so a change is seen here
// (golden/cuts.txt).
TEST(MatmulCut, AreThoseOfTheTable) {
  Draw draw(3);
  std::string text;
  for (int i = 0; i < 150; ++i) {
    AkgenProduct p = Product(draw);
    p.l0b = i % 3 ? p.l0a : p.l0a / 2;
    text += std::to_string(p.shape.m) + "x" + std::to_string(p.shape.n) + "x" +
            std::to_string(p.shape.k) + " type " + std::to_string(int(p.a.type)) + " cores " +
            std::to_string(p.cores) + ":";
    if (const auto cut = CutMatmul(p)) {
      std::vector<int32_t> words(sizeof *cut / sizeof(int32_t));
      std::memcpy(words.data(), &*cut, sizeof *cut);
      for (int32_t w : words) text += " " + std::to_string(w);
    }
    text += "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "cuts.txt", text);
}

TEST(MatmulCut, ATilingThatIsWrongIsSeen) {
  Draw draw(2);
  const AkgenProduct p = Product(draw);
  const MatmulCut good = CutMatmul(p).value();
  for (int32_t MatmulCut::* field :
       {&MatmulCut::baseM, &MatmulCut::baseN, &MatmulCut::baseK, &MatmulCut::depthA1,
        &MatmulCut::usedCoreNum, &MatmulCut::singleCoreM}) {
    MatmulCut bad = good;
    bad.*field = bad.*field * 64 + 1;
    EXPECT_STRNE(Legal(p, bad), "");
  }
}

TEST(MatmulCut, HalfWithRoomIsOfTheUsualSize) {
  MultiCoreMatmulTiling tiling(A2());
  tiling.SetDim(20);
  tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  tiling.SetOrgShape(5120, 5120, 1024);
  tiling.SetShape(5120, 5120, 1024);
  optiling::TCubeTiling t;
  ASSERT_EQ(tiling.GetTiling(t), 0);
  EXPECT_EQ(t.GetDataSize(), 200u);
  EXPECT_EQ(t.get_baseM() * t.get_baseN(), 128 * 256);
  EXPECT_EQ(t.get_baseK(), 64);
  EXPECT_EQ(t.get_usedCoreNum(), 20);
}

TEST(MatmulCut, EqualSharesAreRows) {
  MultiCoreMatmulTiling tiling(A2());
  tiling.SetDim(2);
  tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  tiling.SetOrgShape(512, 512, 128);
  tiling.SetShape(512, 512, 128);
  AscendC::tiling::TCubeTiling t;
  ASSERT_EQ(tiling.GetTiling(t), 0);
  EXPECT_EQ(t.singleCoreM, 256);
  EXPECT_EQ(t.singleCoreN, 512);
}

TEST(MatmulCut, OfGivenSharesThereMayBeMoreThanCores) {
  MultiCoreMatmulTiling tiling(A2());
  tiling.SetDim(24);
  tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetOrgShape(8192, 8192, 512);
  tiling.SetShape(8192, 8192, 512);
  tiling.SetSingleShape(1024, 1536, 512);
  AscendC::tiling::TCubeTiling t;
  ASSERT_EQ(tiling.GetTiling(t), 0);
  EXPECT_EQ(t.usedCoreNum, 24);
  EXPECT_EQ(t.singleCoreN, 1536);
}

// Memories of an A2 core: 128 KiB of L0C, 1 KiB of BiasTable.
TEST(MatmulCut, LimitsAreLegalAndWhatIsBeyondThemIsNot) {
  MatmulApiTiling tiling(A2());
  const struct {
    int32_t m, n, k, answer;
  } splits[] = {{256, 128, -1, 0},   {128, 256, 1, 0}, {257, 128, -1, -1}, {256, 129, -1, -1},
                {-1, 100000, -1, 0}, {1, 1, 1, 0},     {0, 1, 1, -1},      {1, 0, 1, -1},
                {1, 1, 0, -1},       {-2, 1, 1, -1}};
  for (const auto& s : splits)
    EXPECT_EQ(tiling.SetFixSplit(s.m, s.n, s.k), s.answer) << s.m << " " << s.n << " " << s.k;
  const struct {
    int32_t l0c, bt, answer;
  } spaces[] = {{131072, -1, 0}, {131073, -1, -1},  {-1, 1024, 0},
                {-1, 1025, -1},  {131072, 1024, 0}, {131073, 1025, -1}};
  for (const auto& s : spaces)
    EXPECT_EQ(tiling.SetBufferSpace(-1, s.l0c, -1, s.bt), s.answer) << s.l0c << " " << s.bt;
}

TEST(MatmulCut, WhatCannotBeIsRefused) {
  MatmulApiTiling tiling(A2());
  tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  AscendC::tiling::TCubeTiling t;
  EXPECT_EQ(tiling.SetOrgShape(0, 16, 16), -1);
  EXPECT_EQ(tiling.GetTiling(t), -1);               // no size
  EXPECT_EQ(tiling.SetFixSplit(256, 256, -1), -1);  // beyond L0C
  tiling.SetOrgShape(64, 64, 64);
  tiling.SetShape(64, 64, 64);
  EXPECT_EQ(tiling.GetTiling(t), 0);
  tiling.SetBufferSpace(1024);
  EXPECT_EQ(tiling.GetTiling(t), -1);  // L1 too small
  tiling.SetBufferSpace();
  tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_INT8);
  EXPECT_EQ(tiling.GetTiling(t), -1);  // types
}
}  // namespace
}  // namespace akgen::host
