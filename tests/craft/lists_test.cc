// Lists of integers in kernels, and views of flat tensors.
#include <gtest/gtest.h>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/interpret/arguments.h"
#include "craft/interpret/interpret.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

std::string Pieces() {
  auto text =
      base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/examples/craft/constructs/pieces.py");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

std::string WithPiece(std::string s, const std::string& from, const std::string& to) {
  size_t at = s.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? s : s.replace(at, from.size(), to);
}

TEST(CraftLists, MistakesAreExplained) {
  struct Mistake {
    const char *from, *to, *code, *says;
  };
  const Mistake kMistakes[] = {
      {"rows: ints, cols: ints, tall", "rows, cols: ints, tall", "AK1515", "write rows: ints"},
      {"tall, wide):", "tall: ints, wide):", "AK1515", "is a list here"},
      {"rows[g] * cols[g]\n", "rows * cols[g]\n", "AK1513", "rows[i], len(rows)"},
      {"rows[g] * cols[g]\n", "rows[g, g] * cols[g]\n", "AK1511", "a list has one index"},
      {"before(g, rows, cols)", "before(g)", "AK1514", "the elements of the pieces ahead"},
      {"before(g, rows, cols)", "before(g, rows, tall)", "AK1514", "lists of extents"},
      {"before(count, rows, cols)", "before(rows, cols)", "AK1513", "len(rows), prod(rows)"},
      {"for g, i, h, j, w in", "for i, h, j, w in", "AK1514", "the index in the list"},
      {".view(rows[g], cols[g])", ".view(rows[g], cols[g] + 1)", "AK1511", "a slice of"},
      {"        f = item", "        left = item", "AK1510", "'left' is assigned twice"},
      {"        f = item", "        f = left[0]\n        z = item", "AK1514", "not a number"},
  };
  for (const Mistake& m : kMistakes) {
    const std::string text = WithPiece(Pieces(), m.from, m.to);
    const std::string said = Compile(text).diagnostics.Render("p", text);
    EXPECT_NE(said.find(m.code), std::string::npos) << m.to << "\n" << said;
    EXPECT_NE(said.find(m.says), std::string::npos) << m.to << "\n" << said;
  }
}

std::string Interpreted(const std::string& program, const std::string& inputs) {
  const Compiled c = Compile(program);
  EXPECT_EQ(c.diagnostics.Render("p", program), "");
  auto one = ParseCase(c.programs, inputs, 1);
  if (!one.ok()) return one.error().code;
  auto out = Interpret(c.programs[one->column], c.lowered[one->column], one->args);
  return out.ok() ? "" : out.error().code + " " + out.error().message;
}

TEST(CraftLists, WhatKernelsDoNotTakeIsRefused) {
  EXPECT_EQ(Interpreted(Pieces(), "x=f32[6] factor=f32[2] rows=2,0 cols=3,4"), "");
  std::string many = "1", zeros = "0";
  for (int i = 1; i < 65; ++i) many += ",1", zeros += ",0";
  const std::string too_many =
      Interpreted(Pieces(), "x=f32[0] factor=f32[65] rows=" + many + " cols=" + zeros);
  EXPECT_NE(too_many.find("at most 64 numbers"), std::string::npos) << too_many;
  const std::string negative = Interpreted(Pieces(), "x=f32[6] factor=f32[1] rows=-2 cols=-3");
  EXPECT_NE(negative.find("none negative"), std::string::npos) << negative;
  const std::string unequal = Interpreted(WithPiece(Pieces(), "len(rows) == count and ", ""),
                                          "x=f32[2] factor=f32[2] rows=1,0,1 cols=1,1");
  EXPECT_NE(unequal.find("AK1533"), std::string::npos) << unequal;
}

TEST(CraftLists, WhatLeavesAListOrAViewIsAnError) {
  const std::string behind =
      Interpreted(WithPiece(Pieces(), "f = item", "n = rows[g + 1]\n        f = item"),
                  "x=f32[6] factor=f32[1] rows=2 cols=3");
  EXPECT_NE(behind.find("AK1530 element 1 of rows"), std::string::npos) << behind;
  const std::string leaves = Interpreted(
      WithPiece(Pieces(), "blocks(rows, tall, cols, wide)", "blocks(cols, tall, rows, wide)"),
      "x=f32[6] factor=f32[1] rows=2 cols=3");
  EXPECT_NE(leaves.find("a view of x"), std::string::npos) << leaves;
}

}  // namespace
}  // namespace akgen::craft
