// The bound next to each element: nothing where the bits are fixed, enough where they are not.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "craft/interpret/interpret.h"

namespace akgen::craft {
namespace {

TileData Floats(std::vector<float> f) {
  TileData t = MakeTile(base::Dtype::kFloat32, 1, static_cast<int64_t>(f.size()));
  t.f = std::move(f);
  return t;
}
ir::Value Op(ir::Op op, base::Dtype d = base::Dtype::kFloat32) {
  ir::Value v;
  v.op = op;
  v.dtype = d;
  return v;
}
TileData Result(const ir::Value& v, std::vector<const TileData*> args, int64_t cols) {
  TileData out = Evaluate(v, args, 1, cols);
  AddBounds(v, args, out);
  return out;
}

TEST(CraftBounds, ExactOperationsHaveNone) {
  TileData a = Floats({1, 2.5, -3}), b = Floats({0.1f, 7, 1e30f});
  for (ir::Op op : {ir::Op::k_add, ir::Op::k_mul, ir::Op::k_div, ir::Op::k_maximum})
    EXPECT_TRUE(Result(Op(op), {&a, &b}, 3).e.empty());
  EXPECT_TRUE(Result(Op(ir::Op::k_sqrt), {&b}, 3).e.empty());
}

TEST(CraftBounds, SumsMayBeTakenInAnyOrder) {
  std::vector<float> values(100, 0.1f);
  values[3] = 1e6f;
  TileData x = Floats(values);
  TileData sum = Result(Op(ir::Op::k_row_sum), {&x}, 1);
  ASSERT_EQ(sum.e.size(), 1u);
  float forward = 0, backward = 0;
  for (int i = 0; i < 100; ++i) forward += values[i], backward += values[99 - i];
  EXPECT_LE(std::fabs(forward - sum.f[0]), sum.e[0]);
  EXPECT_LE(std::fabs(backward - sum.f[0]), sum.e[0]);
  EXPECT_LT(sum.e[0], 10.0f);
}

TEST(CraftBounds, GoThroughFunctionsByTheirEnds) {
  TileData x = Floats({1.0f, 20.0f});
  x.e = {1e-3f, 1e-3f};
  TileData y = Result(Op(ir::Op::k_exp), {&x}, 2);
  EXPECT_GE(y.e[0], std::exp(1.001) - std::exp(1.0));
  EXPECT_LT(y.e[0], 1.01 * (std::exp(1.001) - std::exp(1.0)));
  TileData pole = Floats({1e-4f, 3.0f});
  pole.e = {1e-3f, 1e-3f};
  TileData r = Result(Op(ir::Op::k_reciprocal), {&pole}, 2);
  EXPECT_TRUE(std::isinf(r.e[0]));
  EXPECT_FALSE(std::isinf(r.e[1]));
}

TEST(CraftBounds, CloseChoicesAreOpen) {
  TileData a = Floats({1.0f, 1.0f}), b = Floats({1.0001f, 2.0f});
  a.e = {1e-3f, 1e-3f};
  TileData less = Result(Op(ir::Op::k_lt, base::Dtype::kBool), {&a, &b}, 2);
  EXPECT_TRUE(std::isinf(less.e[0]));
  EXPECT_EQ(less.e[1], 0.0f);
  TileData best = Result(Op(ir::Op::k_row_argmax, base::Dtype::kInt32), {&a}, 1);
  EXPECT_TRUE(std::isinf(best.e[0]));
}

// The interpreter's own conversions and those of the rest, which the simulated chip uses too.
TEST(CraftBounds, ShortFloatsAgreeWithTheOthers) {
  auto same = [](float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  };
  for (unsigned bits = 0; bits < 65536; ++bits) {
    ASSERT_TRUE(same(ShortValue(base::Dtype::kFloat16, bits), base::HalfToFloat(bits))) << bits;
    ASSERT_TRUE(same(ShortValue(base::Dtype::kBfloat16, bits), base::Bf16ToFloat(bits))) << bits;
  }
  uint64_t x = 1;
  for (int i = 0; i < 200000; ++i) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t bits = static_cast<uint32_t>(x >> 32);
    // Every second one near the range of half, every eighth halfway between two of them.
    if (i % 2) bits = (bits & 0x87ffffffu) | 0x38000000u;
    if (i % 8 == 1) bits = (bits & ~0x1fffu) | 0x1000u;
    float f;
    std::memcpy(&f, &bits, 4);
    if (std::isnan(f)) continue;
    ASSERT_EQ(ShortBits(base::Dtype::kFloat16, f), base::FloatToHalf(f)) << f;
    ASSERT_EQ(ShortBits(base::Dtype::kBfloat16, f), base::FloatToBf16(f)) << f;
  }
}

}  // namespace
}  // namespace akgen::craft
