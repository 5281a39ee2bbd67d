// What people write that the language has not: taken where it can mean one thing only, else refused
// once, with the fix.
#include <gtest/gtest.h>

#include "craft/craft.h"
#include "craft/interpret/arguments.h"
#include "craft/syntax/parser.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

// With each dtype in the places that take one.
const char kProgram[] =
    "@kernel\n"
    "def k(x: gm[total], y: gm[total], total, tile, scale):\n"
    "    x_ub = ub(tile, dtype=x.dtype)\n"
    "    y_ub = ub(tile, dtype=y.dtype)\n"
    "    for i, n in tiles(0, total, tile):\n"
    "        with copyin:\n"
    "            load(x_ub, x[i : i + n])\n"
    "        with compute:\n"
    "            z = exp(x_ub)\n"
    "            y_ub[:] = z * scale\n"
    "        with copyout:\n"
    "            store(y[i : i + n], y_ub)\n"
    "\n\n"
    "@host\n"
    "def op(x: tensor(f16), s: float = 4.0):\n"
    "    y = empty(x.shape, f16)\n"
    "    tile = fit(x.numel, 128)\n"
    "    k[1](x, y, x.numel, tile, sqrt(s))\n"
    "    return y\n";

std::string Replaced(std::string s, const std::string& from, const std::string& to) {
  const size_t at = s.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? s : s.replace(at, from.size(), to);
}

std::string Meaning(const std::string& program) {
  Compiled c = Compile(program);
  if (!c.diagnostics.empty()) return c.diagnostics.Render("p", program);
  std::string out;
  for (const ir::Program& p : c.programs) out += ir::Dump(p);
  for (const auto& [path, text] : EmitProject(c.lowered)) out += text;
  return out;
}

// `to` in place of `from` means what `same` in its place does.
struct Taken {
  const char *from, *to, *same;
};
const Taken kTaken[] = {
    {"z = exp(x_ub)\n", "z = exp(x_ub)\n            z += 1.0\n",
     "z = exp(x_ub)\n            z = z + 1.0\n"},
    {"z = exp(x_ub)\n", "z = exp(x_ub)\n            z *= z - 1.0\n",
     "z = exp(x_ub)\n            z = z * (z - 1.0)\n"},
    {"z * scale\n", "z * scale\n            y_ub[:] -= z\n",
     "z * scale\n            y_ub[:] = y_ub - z\n"},
    {"z = exp(x_ub)\n", "z = exp(x_ub)\n            z **= 2.0\n",
     "z = exp(x_ub)\n            z = z ** 2.0\n"},
    {"    x_ub = ub", "    \"\"\"Scales.\n\n  As # said.\n    \"\"\"\n    x_ub = ub",
     "    x_ub = ub"},
    {"    y = empty", "    'Scales.'\n    y = empty", "    y = empty"},
    {"@kernel\n", "\"\"\"A module.\"\"\"\nimport torch\nfrom torch import nn\n@kernel\n",
     "@kernel\n"},
    {"s: float = 4.0):", "s: float = 4.0) -> tensor(f16):", "s: float = 4.0):"},
    {"tile, scale):", "tile, scale) -> None:", "tile, scale):"},
    {"exp(x_ub)", "torch.exp(x_ub)", "exp(x_ub)"},
    {"exp(x_ub)", "torch.where(x_ub > 0.0, x_ub, torch.nn.functional.relu(x_ub))",
     "where(x_ub > 0.0, x_ub, relu(x_ub))"},
    {"sqrt(s)", "math.sqrt(s)", "sqrt(s)"},
    {"sqrt(s)", "math.inf", "inf"},
    {"tensor(f16)", "tensor(float16)", "tensor(f16)"},
    {"tensor(f16)", "tensor(torch.float16)", "tensor(f16)"},
    {"empty(x.shape, f16)", "empty(x.shape, torch.float16)", "empty(x.shape, f16)"},
    {"dtype=y.dtype", "dtype=torch.float16", "dtype=f16"},
    {"exp(x_ub)", "cast(x_ub, torch.float32)", "cast(x_ub, f32)"},
};

TEST(CraftWritten, TakenAsWhatItMeans) {
  for (const Taken& t : kTaken) {
    const std::string program = Replaced(kProgram, t.from, t.to);
    EXPECT_EQ(Meaning(program), Meaning(Replaced(kProgram, t.from, t.same))) << t.to;
    Diagnostics d;
    const std::string formatted = Format(program, d);
    EXPECT_EQ(Meaning(formatted), Meaning(program)) << formatted;
    EXPECT_EQ(Format(formatted, d), formatted);
  }
}

TEST(CraftWritten, ModulesUnderTheirNamesHere) {
  const std::string program =
      "import torch.nn.functional as F\n" + Replaced(kProgram, "exp(x_ub)", "F.sigmoid(x_ub)");
  EXPECT_EQ(Meaning(program), Meaning(Replaced(kProgram, "exp(x_ub)", "sigmoid(x_ub)")));
  EXPECT_NE(Meaning(Replaced(kProgram, "exp(x_ub)", "F.sigmoid(x_ub)"))
                .find("'F.sigmoid' is no function"),
            std::string::npos);
}

TEST(CraftWritten, FormattingKeepsWhatHasNoEffect) {
  const std::string program =
      "import torch\n\n\n" + Replaced(Replaced(kProgram, "4.0):", "4.0) -> tensor(f16):"),
                                      "    x_ub = ub",
                                      "    \"\"\"Two\n    lines.\"\"\"\n    x_ub = ub");
  Diagnostics d;
  EXPECT_EQ(Format(program, d), program);
}

// Refused by one error with these words, on this line.
struct Refused {
  const char *from, *to, *code;
  int line;
  const char *says, *fix;
};
const Refused kRefused[] = {
    {"y_ub[:] = z", "y_ub = z", "AK1513", 10, "'y_ub' is a buffer",
     "assign to the buffer: y_ub[:] = ..."},
    {"exp(x_ub)", "torch.foo(x_ub)", "AK1514", 9, "no function torch.foo in compute",
     "the nearest is floor()"},
    {"exp(x_ub)", "torch.sigmod(x_ub)", "AK1514", 9, "no function torch.sigmod",
     "did you mean sigmoid()?"},
    {"exp(x_ub)", "torch.softmax(x_ub)", "AK1514", 9, "no function torch.softmax",
     "e / row_sum(e)"},
    {"exp(x_ub)", "x_ub.exp()", "AK1514", 9, "'x_ub.exp' is no function", "exp(v), not v.exp()"},
    {"sqrt(s)", "math.tau(s)", "AK1514", 19, "no function math.tau here", ""},
    {"z = exp(x_ub)\n", "z = exp(x_ub)\n            print(x_ub)\n", "AK1514", 10,
     "print() is not part", "`akgen craft run` prints"},
    {"    return y\n", "    print(f\"{x.numel} elements\")\n    return y\n", "AK1514", 20,
     "print() is not part", "`akgen craft run` prints"},
};

TEST(CraftWritten, RefusedOnceWithTheFix) {
  for (const Refused& r : kRefused) {
    const std::string program = Replaced(kProgram, r.from, r.to);
    Compiled c = Compile(program);
    ASSERT_EQ(c.diagnostics.list().size(), 1u) << r.to << "\n"
                                               << c.diagnostics.Render("p", program);
    const Diagnostic& d = c.diagnostics.list()[0];
    EXPECT_EQ(d.code, r.code) << d.message;
    EXPECT_EQ(d.place.line, r.line) << d.message;
    EXPECT_NE(d.message.find(r.says), std::string::npos) << d.message;
    EXPECT_NE(d.fix.find(r.fix), std::string::npos) << d.fix;
  }
}

TEST(CraftWritten, LaunchesOnDifferentPathsAreOneEach) {
  const std::string program = Replaced(kProgram, "    k[1](x, y, x.numel, tile, sqrt(s))\n",
                                       "    if s > 1.0:\n        k[1](x, y, x.numel, tile, s)\n"
                                       "    else:\n        k[2](x, y, x.numel, tile, 1.0)\n");
  EXPECT_EQ(Compile(program).diagnostics.Render("p", program), "");
}

TEST(CraftWritten, CasesOfADtypeThatIsNotListed) {
  Compiled c = Compile(kProgram);
  auto one = ParseCase(c.programs, "x=i32[4]", 1);
  ASSERT_FALSE(one.ok());
  EXPECT_NE(one.error().message.find("the case has i32; x lists f16"), std::string::npos)
      << one.error().message;
}

// What a core has stored it may not load again before a sync_all(): on the chip the two copies have
// no order.
TEST(CraftWritten, StoredElementsAreLoadedAfterTheBarrier) {
  const std::string program =
      "@kernel\n"
      "def k(x: gm[total], total):\n"
      "    x_ub = ub(1, dtype=x.dtype)\n"
      "    y_ub = ub(1, dtype=x.dtype)\n"
      "    for i in range(0, total - 1):\n"
      "        with copyin:\n"
      "            load(x_ub, x[i : i + 1])\n"
      "        with compute:\n"
      "            y_ub[:] = x_ub + 1.0\n"
      "        with copyout:\n"
      "            store(x[i + 1 : i + 2], y_ub)\n"
      "\n\n"
      "@host\n"
      "def op(x: tensor(f16)):\n"
      "    k[1](x, x.numel)\n";
  Compiled c = Compile(program);
  ASSERT_EQ(c.diagnostics.Render("p", program), "");
  auto one = ParseCase(c.programs, "x=f16[4]", 1);
  ASSERT_TRUE(one.ok());
  auto done = Interpret(c.programs[0], c.lowered[0], one->args);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, "AK1531");
  EXPECT_NE(done.error().message.find("written since the last sync_all()"), std::string::npos);
}

TEST(CraftWritten, StoresIntoInputsAreSeenThereAndNowhereElse) {
  const std::string program =
      Replaced(Replaced(kProgram, "store(y[i : i + n], y_ub)", "store(x[i : i + n], y_ub)"),
               "tiles(0, total, tile)", "tiles(0, total // 2, tile)");
  Compiled c = Compile(program);
  ASSERT_EQ(c.diagnostics.Render("p", program), "");
  auto one = ParseCase(c.programs, "x=f16[4]{1, 1} s=0.0", 1);
  ASSERT_TRUE(one.ok());
  auto done = Interpret(c.programs[0], c.lowered[0], one->args);
  ASSERT_TRUE(done.ok()) << done.error().message;
  const std::vector<uint8_t> kHalves = {0, 0, 0, 0, 0, 0x3c, 0, 0x3c};  // two zeros, two ones
  EXPECT_EQ(done->inputs.at("x")[0].bytes, kHalves);
  EXPECT_EQ(done->never_written, 4);
}

}  // namespace
}  // namespace akgen::craft
