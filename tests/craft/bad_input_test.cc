// Bad programs: refused with place, reason and what to change; what they would do wrong for some
// legal shape too.
#include <gtest/gtest.h>

#include "craft/craft.h"
#include "craft/interpret/probe.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

// A copy kernel: `last` is where a core stops, `cores` how many there are, `tile` what its buffer
// holds.
std::string Copying(const std::string& last, const std::string& cores,
                    const std::string& room = "tile", const std::string& value = "x_ub * 2.0") {
  return "@kernel\n"
         "def k(x: gm[total], y: gm[total], total, per_core, tile):\n"
         "    first = core() * per_core\n"
         "    x_ub = ub(" +
         room +
         ", dtype=x.dtype)\n"
         "    y_ub = ub(" +
         room +
         ", dtype=y.dtype)\n"
         "    for i, n in tiles(first, " +
         last + ", " + room +
         "):\n"
         "        with copyin:\n"
         "            load(x_ub, x[i : i + n])\n"
         "        with compute:\n"
         "            y_ub[:] = " +
         value +
         "\n"
         "        with copyout:\n"
         "            store(y[i : i + n], y_ub)\n\n\n"
         "@host\n"
         "def op(x: tensor(f32)):\n"
         "    y = empty(x.shape, x.dtype)\n"
         "    per_core = " +
         (cores == "3" ? "ceil_div(x.numel, 3)" : "x.numel") +
         "\n"
         "    k[" +
         cores +
         "](x, y, x.numel, per_core, 64)\n"
         "    return y\n";
}
const char kLast[] = "min(first + per_core, total)";

Diagnostics Said(const std::string& source) {
  Compiled c = Compile(source);
  if (c.diagnostics.empty()) Probe(c, source, c.diagnostics);
  return c.diagnostics;
}

void Expect(const std::string& source, const std::string& code, int line, const std::string& says) {
  Diagnostics d = Said(source);
  ASSERT_FALSE(d.empty()) << source;
  const Diagnostic& first = d.list()[0];
  EXPECT_EQ(first.code, code);
  EXPECT_EQ(first.place.line, line) << first.message;
  EXPECT_GT(first.place.column, 1);
  EXPECT_NE(first.message.find(says), std::string::npos) << first.message;
  EXPECT_FALSE(first.fix.empty());
  EXPECT_NE(d.Render("p", source).find("^"), std::string::npos);
}

TEST(CraftBadInput, GoodProgramIsSilent) {
  EXPECT_TRUE(Said(Copying(kLast, "3")).empty()) << Said(Copying(kLast, "3")).Render("p", "");
}

TEST(CraftBadInput, MoreThanUb) {
  Expect(Copying(kLast, "3", "40000"), "AK1533", 4, "bytes of UB whatever the shapes are");
}

TEST(CraftBadInput, OutsideForSomeLegalShape) {
  Expect(Copying("first + per_core", "3"), "AK1530", 8, "leaves dimension 0 of x");
}

// A loaded tile is there in its loop only, and so is a tile as long as a turn of it.
std::string After(const std::string& in_loop, const std::string& value) {
  std::string s = Copying(kLast, "3");
  s.insert(s.find("    y_ub = ub"),
           "    z_ub = ub(tile, dtype=f32)\n    one = ub(1, dtype=f32)\n    with compute:\n        "
           "one[:] = full(1, 1, "
           "0.0)\n");
  s.insert(s.find("            y_ub[:] ="),
           "            " + in_loop + "\n            one[:] = row_sum(x_ub)\n");
  s.insert(s.find("\n\n@host"),
           "    with compute:\n        one[:] = one + all_sum(" + value + ")\n");
  return s;
}
TEST(CraftBadInput, TilesEndWithTheirLoop) {
  const std::string own = "z_ub[:] = x_ub + 1.0";
  EXPECT_TRUE(Said(After(own, "one")).empty()) << Said(After(own, "one")).Render("p", "");
  Expect(After(own, "x_ub"), "AK1513", 20, "x_ub is used too late: what was loaded");
  Expect(After(own, "z_ub"), "AK1513", 20, "z_ub is used too late: its extent is said in 'n'");
}

TEST(CraftBadInput, RacesWithItself) {
  std::string race = Copying("total", "4");
  race.replace(race.find("core() * per_core"), 17, "core() * 0");
  Expect(race, "AK1531", 12, "nothing orders them");
}

TEST(CraftBadInput, DivisionByAnExtentThatIsZero) {
  std::string s = Copying(kLast, "3");
  s.replace(s.find("ceil_div(x.numel, 3)"), 20, "x.numel // (x.shape[-1] - 7)");
  Expect("# try: x=f32[4, 7]\n" + s, "AK1530", 19, "division by zero");
}

TEST(CraftBadInput, DtypesTheOperationsDoNotTake) {
  std::string s = Copying(kLast, "3", "tile",
                          "x_ub * 2\n            z = sqrt(x_ub)\n            w = row_cumsum(x_ub)");
  s.replace(s.find("tensor(f32)"), 11, "tensor(i32)");
  Diagnostics d = Said(s);
  ASSERT_EQ(d.list().size(), 2u) << d.Render("p", s);
  for (const Diagnostic& one : d.list()) EXPECT_EQ(one.code, "AK1512");
}

TEST(CraftBadInput, OneMistakeIsSaidOnce) {
  // y_ub stays unwritten, but only because of the unknown name.
  Diagnostics d = Said(Copying(kLast, "3", "tile", "x_up * 2.0"));
  ASSERT_EQ(d.list().size(), 1u) << d.Render("p", "");
  EXPECT_EQ(d.list()[0].code, "AK1510");
}

TEST(CraftBadInput, BuffersOfDifferentWidthsInOneExpression) {
  std::string s =
      "@kernel\ndef k(x: gm[rows, cols], y: gm[rows, cols], rows, cols, wide):\n"
      "    a_ub = ub(rows, cols, dtype=f32)\n    b_ub = ub(rows, wide, dtype=f32)\n    y_ub = "
      "ub(rows, cols, "
      "dtype=f32)\n"
      "    with copyin:\n        load(a_ub, x[:, :])\n        load(b_ub, x[:, :])\n"
      "    with compute:\n        y_ub[:] = a_ub + b_ub\n    with copyout:\n        store(y[:, :], "
      "y_ub)\n\n\n"
      "@host\ndef op(x: tensor(f32)):\n    rows, cols = x.shape\n    y = empty(x.shape, f32)\n    "
      "k[1](x, y, rows, "
      "cols, cols + 9)\n    return y\n";
  Expect(s, "AK1511", 10, "are combined");
}

}  // namespace
}  // namespace akgen::craft
