// Mistakes in programs: found, placed, explained, each by one message, many per run.
#include <gtest/gtest.h>

#include "craft/craft.h"
#include "craft/syntax/lexer.h"
#include "craft/syntax/parser.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

const char kGood[] =
    "@kernel\n"
    "def k(x: gm[total], y: gm[total], total, tile):\n"
    "    x_ub = ub(tile, dtype=x.dtype)\n"
    "    y_ub = ub(tile, dtype=y.dtype)\n"
    "    for i, n in tiles(0, total, tile):\n"
    "        with copyin:\n"
    "            load(x_ub, x[i : i + n])\n"
    "        with compute:\n"
    "            y_ub[:] = exp(x_ub)\n"
    "        with copyout:\n"
    "            store(y[i : i + n], y_ub)\n"
    "\n\n"
    "@host\n"
    "def op(x: tensor(f16, f32)):\n"
    "    y = empty(x.shape, x.dtype)\n"
    "    tile = fit(x.numel, 128)\n"
    "    k[1](x, y, x.numel, tile)\n"
    "    return y\n";

std::string Replace(std::string s, const std::string& from, const std::string& to) {
  size_t at = s.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? s : s.replace(at, from.size(), to);
}

struct Mistake {
  const char* from;
  const char* to;
  const char* code;
  int line;
  const char* says;
};

TEST(CraftFront, GoodProgramIsSilent) {
  Compiled c = Compile(kGood);
  EXPECT_EQ(c.diagnostics.Render("p", kGood), "");
  EXPECT_EQ(c.lowered.size(), 2u);
}

TEST(CraftFront, MistakesAreNamedWithTheirPlace) {
  const Mistake kMistakes[] = {
      {"exp(x_ub)", "exp(x_ub", "AK1509", 9, "never closed"},
      {"exp(x_ub)", "exp($x_ub)", "AK1508", 9, "no meaning"},
      {"exp(x_ub)", "exq(x_ub)", "AK1514", 9, "did you mean exp()"},
      {"exp(x_ub)", "exp(x_up)", "AK1510", 9, "did you mean 'x_ub'"},
      {"exp(x_ub)", "exp(x)", "AK1513", 9, "global memory"},
      {"exp(x_ub)", "exp(x_ub, 1)", "AK1514", 9, "takes 1 value"},
      {"exp(x_ub)", "exp(x_ub) & 1", "AK1512", 9, "joins conditions"},
      {"exp(x_ub)", "cast(x_ub, f31)", "AK1512", 9, "expected a dtype"},
      {"x[i : i + n]", "x[i : i + tile, :]", "AK1511", 7, "has 1 dimension"},
      {"store(y[i : i + n]", "store(y[i : i + tile]", "AK1511", 11, "holds"},
      {"load(x_ub, x[i : i + n])", "x_ub[:] = 1", "AK1513", 7, "only load()"},
      {"with compute", "with computes", "AK1513", 8, "stages are"},
      {"k[1](x, y, x.numel, tile)", "k[1](x, y, x.numel)", "AK1515", 18, "takes 4 arguments"},
      {"k[1](x, y, x.numel, tile)", "k[1](x, y, x.numel, fit(x.numel, 128))", "AK1514", 18,
       "argument of a launch"},
      {"k[1](x, y, x.numel, tile)", "k[1](x, y, x.numel, 128)", "AK1514", 17,
       "none after it takes its result"},
      {"k[1](", "kk[1](", "AK1510", 18, "did you mean 'k'"},
      {"tensor(f16, f32)", "tensor(f15)", "AK1512", 15, "unknown dtype"},
      {"i, n in", "i in", "AK1514", 5, "two names"},
      {"store(y[i : i + n], y_ub)", "store(y[i : i + n], x_ub)", "AK1521", 3,
       "loaded, used in compute and stored"},
      {"dtype=y.dtype", "dtype=i32", "AK1512", 9, "say how"},
      {"    k[1]", "    if x.dtype == i32:\n        require(x.numel > 1)\n    k[1]", "AK1512", 18,
       "no column of dtypes takes"},
      {"fit(x.numel, 128)", "128 if x.dtype < f16 else 64", "AK1512", 17, "compared with =="},
      {"    k[1]", "    require(alike(x, x))\n    k[1]", "AK1511", 18, "compares two lists"},
      {"fit(x.numel, 128)", "128 if y.dtype == f16 else 64", "AK1510", 17, "no tensor 'y'"},
      {"empty(x.shape, x.dtype)", "empty(given)", "AK1512", 16, "names no dtype"},
      // What each of these would have given is used in other lines.
      {"x_ub = ub(tile,", "x_ub = ub(tilee,", "AK1510", 3, "no name 'tilee'"},
      {"x_ub = ub(tile, dtype", "x_ub = ub(tile, dtyp", "AK1514", 3, "and a dtype"},
      {"dtype=y.dtype", "dtype=z.dtype", "AK1510", 4, "'z' is not a tensor"},
      {"load(x_ub,", "load(xub,", "AK1510", 7, "did you mean 'x_ub'"},
      {"load(x_ub, x[", "load(x_ub, z[", "AK1510", 7, "'z' is not a tensor"},
      {"x[i : i + n]", "x[i : i + 0.5]", "AK1512", 7, "must be an integer"},
      {"        with copyin:\n            load", "        load", "AK1513", 6,
       "outside of a copyin stage"},
      {"with copyin", "with copying", "AK1513", 6, "no stage 'copying'"},
      {"exp(x_ub)", "nothing * nothing", "AK1510", 9, "no name 'nothing'"},
      {"exp(x_ub)", "x * x", "AK1513", 9, "lies in global memory"},
      {"for i, n in tiles(0, total, tile)", "for i in range(0, total)", "AK1510", 7, "no name 'n'"},
      {"y: gm[total]", "y: gmm[total]", "AK1511", 2, "does not say its shape"},
      {"y: gm[total]", "y: gm[totl]", "AK1511", 18, "'totl' of y is not known"},
      {"    tile = fit(x.numel, 128)", "    wide = fit(x.numel, 128)", "AK1510", 18,
       "no name 'tile'"},
      {"fit(x.numel, 128)", "fitt(x.numel, 128)", "AK1514", 17, "did you mean fit()"},
      {"fit(x.numel, 128)", "fit(x.nume, 128)", "AK1514", 17, "not a number"},
      {"    tile = fit", "    tile == fit", "AK1514", 17, "does nothing"},
      {"tile = fit(x.numel, 128)", "n = x.nume\n    tile = fit(n, 128)", "AK1514", 17,
       "not a number"},
      {"        with compute:", "       with compute:", "AK1508", 8, "fits no block"},
      {"        with compute:", "\twith compute:", "AK1508", 8, "with a tab"},
      {"        with compute:\n            y_ub[:] = exp",
       "        with compute:\n        y_ub[:] = exp", "AK1509", 9, "expected an indented block"},
  };
  for (const Mistake& m : kMistakes) {
    std::string source = Replace(kGood, m.from, m.to);
    Compiled c = Compile(source);
    ASSERT_FALSE(c.diagnostics.empty()) << m.to;
    std::string all = c.diagnostics.Render("p", source);
    EXPECT_NE(all.find(m.says), std::string::npos) << m.to << "\n" << all;
    bool placed = false;
    for (const Diagnostic& d : c.diagnostics.list())
      placed |= d.code == m.code && d.place.line == m.line;
    EXPECT_TRUE(placed) << m.to << "\n" << all;
    EXPECT_EQ(c.diagnostics.list().size(), 1u) << m.to << ": one mistake\n" << all;
  }
}

TEST(CraftFront, WhatHasNoInstructionIsRefused) {
  std::string source = Replace(Replace(kGood, "exp(x_ub)", "where(x_ub > row_sum(x_ub), x_ub, 1)"),
                               "f16, f32", "i64");
  Compiled c = Compile(source);
  ASSERT_EQ(c.diagnostics.list().size(), 1u);
  EXPECT_EQ(c.diagnostics.list()[0].code, "AK1520");
  const Place& place = c.diagnostics.list()[0].place;
  EXPECT_EQ(place.line, 9);
  EXPECT_EQ(place.column, 13) << "the text of the line";
  EXPECT_EQ(place.length,
            int(std::string("y_ub[:] = where(x_ub > row_sum(x_ub), x_ub, 1)").size()));
}

TEST(CraftFront, VerifierSeesOurMistakes) {
  Compiled c = Compile(kGood);
  ASSERT_TRUE(c.diagnostics.empty());
  EXPECT_TRUE(ir::Verify(c.programs[0]).ok());
  ir::Program broken = c.programs[0];
  for (auto& s : broken.kernels[0].body.back()->body)
    if (!s->values.empty()) s->values.back().args = {99};
  auto st = ir::Verify(broken);
  ASSERT_FALSE(st.ok());
  EXPECT_EQ(st.error().code, "AK1590");
}

TEST(CraftFront, SeveralMistakesInOneRun) {
  std::string source =
      Replace(Replace(kGood, "exp(x_ub)", "exq(x_ub)"), "x[i : i + n]", "z[i : i + n]");
  Compiled c = Compile(source);
  EXPECT_EQ(c.diagnostics.list().size(), 2u);
}

TEST(CraftFront, BracketsWithoutEndAreRefused) {
  Diagnostics d;
  Parse("@host\ndef f():\n    x = " + std::string(900000, '('), d);
  EXPECT_FALSE(d.empty());
  Diagnostics large;
  Parse(std::string(10 << 20, '['), large);
  ASSERT_EQ(large.list().size(), 1u);
  EXPECT_EQ(large.list()[0].code, "AK1500");
}

TEST(CraftFront, FormattingIsStableAndKeepsTheProgram) {
  std::string wild = Replace(kGood, "exp(x_ub)", "exp( (x_ub) )*(2.0+1)  # twice");
  Diagnostics d;
  std::string once = Format(wild, d);
  EXPECT_TRUE(d.empty());
  EXPECT_NE(once.find("exp(x_ub) * (2.0 + 1)  # twice"), std::string::npos) << once;
  EXPECT_EQ(Format(once, d), once);
  EXPECT_EQ(Format(kGood, d), kGood);
  EXPECT_EQ(EmitProject(Compile(once).lowered), EmitProject(Compile(wild).lowered));
}

TEST(CraftFront, FewKeywords) { EXPECT_LE(Keywords().size(), 30u); }

}  // namespace
}  // namespace akgen::craft
