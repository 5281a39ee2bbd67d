// What random programs are made of: a kind that is never drawn is never tried.
#include <gtest/gtest.h>

#include <string>

#include "../golden.h"
#include "base/files.h"
#include "craft/fuzz/generate.h"

namespace akgen::craft {
namespace {
TEST(RandomPrograms, HoldEveryKindOfOperation) {
  std::string all;
  for (uint64_t index = 0; index < 400; ++index) all += Generate(1, index).source;
  for (const char* part : {"row_sum(",
                           "row_max(",
                           "row_min(",
                           "row_argmax(",
                           "row_argmin(",
                           "row_prod(",
                           "col_sum(",
                           "col_max(",
                           "col_min(",
                           "col_prod(",
                           "all_sum(",
                           "all_max(",
                           "all_min(",
                           "row_window_sum(",
                           "row_window_max(",
                           "row_window_min(",
                           "maximum(",
                           "minimum(",
                           " / ",
                           " ** ",
                           " + ",
                           " - ",
                           " * ",
                           " < ",
                           " == ",
                           "relu(",
                           "abs(",
                           "iota(",
                           "full(",
                           "f32)",
                           "f16)",
                           "bf16)",
                           "i32)",
                           "i16)",
                           "i8)",
                           "u8)",
                           "i64)"})
    EXPECT_NE(all.find(part), std::string::npos) << part;
}

TEST(RandomPrograms, HoldEveryKindOfProduct) {
  std::string all;
  for (uint64_t index = 0; index < 200; ++index) all += GenerateProduct(1, index).source;
  for (const char* part :
       {"tensor(f16)", "tensor(bf16)", "tensor(f32)", "tensor(i8)", ".T @ ",    ".T\n",
        "c[:] += ",    "over=[batch]", "over=[parts", "order=3",    "order=-2", "+ row[j : j + w]",
        "block(",      "relu(c)",      "relu(c * s)", "move(x, c)", "scale_ub", "token_ub",
        "old_ub",      "row_sum(",     "row_max("})
    EXPECT_NE(all.find(part), std::string::npos) << part;
  // Rows that two cores share are not joined.
  EXPECT_EQ(all.find("col_"), std::string::npos);
  EXPECT_EQ(all.find("all_"), std::string::npos);
}

TEST(RandomPrograms, AreAFunctionOfSeedAndIndex) {
  EXPECT_EQ(Generate(3, 7).source, Generate(3, 7).source);
  EXPECT_NE(Generate(3, 7).source, Generate(3, 8).source);
  EXPECT_NE(Generate(3, 7).source, Generate(4, 7).source);
}

// A program that failed is found again by its two numbers: what is drawn changes on purpose or not
// at all.
TEST(RandomPrograms, AreThoseOfTheTable) {
  std::string said;
  for (uint64_t seed : {1, 2})
    for (uint64_t first = 0; first < 400; first += 20) {
      std::string some;
      for (uint64_t index = first; index < first + 20; ++index) {
        const RandomProgram p = Generate(seed, index);
        some += p.inputs + "\n" + p.source + "\n";
      }
      said +=
          std::to_string(seed) + " " + std::to_string(first) + " " + base::ContentHash(some) + "\n";
    }
  std::string products;
  for (uint64_t index = 0; index < 200; ++index) {
    const RandomProgram p = GenerateProduct(1, index);
    products += p.inputs + "\n" + p.source + "\n";
  }
  said += "products " + base::ContentHash(products) + "\n";
  ExpectGolden(AKGEN_SOURCE_DIR "/tests/craft/golden", "random_programs.txt", said);
}

// Each step once, in the order in which they are tried.
TEST(RandomPrograms, BecomeSmallerStepByStep) {
  const RandomProgram p{
      "@kernel\n"
      "def k(x, y):\n"
      "    for i, n in tiles(0, 4, 2):\n"
      "        load(x, y[i])\n"
      "\n"
      "        a_1 = add(x.f, 3) + x\n"
      "    b = a_1\n",
      "x=f16[12, 2, 112]{0, 12} y=f16![3, 12] k=12"};
  std::string said;
  for (const RandomProgram& small : Smaller(p)) {
    said += "==== " + small.inputs + "\n";
    if (small.source != p.source) said += small.source;
  }
  for (const RandomProgram& small : Smaller({"x = y * 2", "x=f32[1]"}))
    said += "==== " + small.inputs + "\n" + small.source;
  ExpectGolden(AKGEN_SOURCE_DIR "/tests/craft/golden", "smaller_programs.txt", said);
}
}  // namespace
}  // namespace akgen::craft
