// Every element type as a row, and the roundings at the limits of half and bfloat16.
#include "base/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/seed.h"
#include "base/text.h"

namespace akgen::base {
namespace {
struct TypeRow {
  int number, size;
  const char *name, *alias;
  bool floating;
};
constexpr TypeRow kTypes[] = {
    {0, 4, "float32", "float", true},   {1, 2, "float16", "half", true},
    {2, 1, "int8", "", false},          {3, 4, "int32", "int", false},
    {4, 1, "uint8", "", false},         {6, 2, "int16", "", false},
    {7, 2, "uint16", "", false},        {8, 4, "uint32", "", false},
    {9, 8, "int64", "long", false},     {10, 8, "uint64", "", false},
    {11, 8, "float64", "double", true}, {12, 1, "bool", "", false},
    {16, 8, "complex64", "", false},    {27, 2, "bfloat16", "", true},
};

TEST(Types, Rows) {
  for (const TypeRow& row : kTypes) {
    const Dtype d = Dtype(row.number);
    EXPECT_EQ(SizeOf(d), row.size) << row.name;
    EXPECT_EQ(NameOf(d), row.name);
    EXPECT_EQ(DtypeFromName(row.name), d);
    if (*row.alias) EXPECT_EQ(DtypeFromName(row.alias), d);
    EXPECT_EQ(IsFloating(d), row.floating) << row.name;
  }
  EXPECT_EQ(SizeOf(Dtype(5)), 0);
  EXPECT_EQ(NameOf(Dtype(5)), "unknown");
  EXPECT_FALSE(DtypeFromName("") || DtypeFromName("Float") || DtypeFromName("float3"));
}

// From: a double; to: bits of half and of bfloat16. 2^-24 is the least half, 65504 the greatest,
// halfway beyond it begins infinity; a tie goes to the even one.
struct Rounded {
  double value;
  uint16_t half, bf16;
};
const Rounded kRounded[] = {
    {0.0, 0x0000, 0x0000},
    {1.0, 0x3c00, 0x3f80},
    {1 + 0x1p-11, 0x3c00, 0x3f80},            // a tie of half
    {1 + 0x1p-11 + 0x1p-40, 0x3c01, 0x3f80},  // above it: float would make it a tie
    {1 + 3 * 0x1p-11, 0x3c02, 0x3f80},        // a tie, to the even above
    {1 + 0x1p-8, 0x3c04, 0x3f80},             // a tie of bfloat16
    {1 + 0x1p-8 + 0x1p-40, 0x3c04, 0x3f81},
    {1 + 3 * 0x1p-8, 0x3c0c, 0x3f82},
    {2 - 0x1p-12, 0x4000, 0x4000},  // carries into the exponent
    {65504, 0x7bff, 0x4780},
    {65519.99, 0x7bff, 0x4780},
    {65520, 0x7c00, 0x4780},              // infinity
    {0x1p-14, 0x0400, 0x3880},            // the least normal half
    {0x1p-14 - 0x1p-25, 0x0400, 0x3880},  // a tie below it
    {0x1p-14 - 0x1p-24, 0x03ff, 0x3880},
    {0x1p-24, 0x0001, 0x3380},
    {0x1p-25, 0x0000, 0x3300},  // a tie, to zero
    {0x1p-25 + 0x1p-60, 0x0001, 0x3300},
    {0x1p-126, 0x0000, 0x0080},  // the least normal bfloat16
    {0x1p-133, 0x0000, 0x0001},
    {0x1p-134, 0x0000, 0x0000},
    {0x1.fep127, 0x7c00, 0x7f7f},
    {0x1.ffp127, 0x7c00, 0x7f80},
    {std::numeric_limits<double>::infinity(), 0x7c00, 0x7f80},
};

TEST(Types, RoundOnceFromDouble) {
  for (const Rounded& r : kRounded) {
    EXPECT_EQ(DoubleToHalf(r.value), r.half) << r.value;
    EXPECT_EQ(DoubleToHalf(-r.value), r.half | 0x8000) << -r.value;
    EXPECT_EQ(DoubleToBf16(r.value), r.bf16) << r.value;
    EXPECT_EQ(DoubleToBf16(-r.value), r.bf16 | 0x8000) << -r.value;
    const float f = float(r.value);
    if (double(f) != r.value) continue;
    EXPECT_EQ(FloatToHalf(f), r.half) << f;
    EXPECT_EQ(FloatToBf16(-f), r.bf16 | 0x8000) << f;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(DoubleToHalf(nan) & 0x7fff, 0x7e00);
  EXPECT_EQ(DoubleToBf16(nan) & 0x7fff, 0x7fc0);
  EXPECT_TRUE(std::isnan(Bf16ToFloat(FloatToBf16(std::numeric_limits<float>::signaling_NaN()))));
}

TEST(Types, EveryHalfAndBfloat16ComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float half = HalfToFloat(uint16_t(bits)), bf16 = Bf16ToFloat(uint16_t(bits));
    if (!std::isnan(half)) {
      EXPECT_EQ(FloatToHalf(half), bits);
      EXPECT_EQ(DoubleToHalf(half), bits);
    }
    if (!std::isnan(bf16)) {
      EXPECT_EQ(FloatToBf16(bf16), bits);
      EXPECT_EQ(DoubleToBf16(bf16), bits);
    }
  }
}

TEST(Text, WordsAreLettersDigitsAndUnderscores) {
  std::string words;
  for (int c = 0; c < 256; ++c)
    if (IsWord(char(c))) words += char(c);
  EXPECT_EQ(words, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
}

// Stored draws begin from these: another number is another corpus.
TEST(Seed, DerivedOnesAreKnown) {
  EXPECT_EQ(DerivedSeed(0, 0), 0xe220a8397b1dcdafull >> 12);  // splitmix64 of 0
  EXPECT_EQ(DerivedSeed(0, 1), 0x6e789e6aa1b965f4ull >> 12);
  EXPECT_LT(DrawSeed(), uint64_t{1} << 52) << "a double holds it exactly";
}
}  // namespace
}  // namespace akgen::base
