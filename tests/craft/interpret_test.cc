// Programs run on tensors: the meaning of the language, and what is refused before any kernel
// exists.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/interpret/interpret.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

Tensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  Tensor t{base::Dtype::kFloat32, std::move(shape), {}};
  t.bytes.resize(values.size() * 4);
  std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}
std::vector<float> Values(const Tensor& t) {
  std::vector<float> out(t.bytes.size() / 4);
  std::memcpy(out.data(), t.bytes.data(), t.bytes.size());
  return out;
}

// One kernel over x[total] and y[total]; `body` stands in the loop over tiles, `last` is where a
// core stops.
std::string Program(const std::string& last, const std::string& value,
                    const std::string& extra = "") {
  return "@kernel\n"
         "def k(x: gm[total], y: gm[total], total, per_core, tile):\n"
         "    first = core() * per_core\n"
         "    last = " +
         last +
         "\n"
         "    x_ub = ub(tile, dtype=x.dtype)\n"
         "    y_ub = ub(tile, dtype=y.dtype)\n"
         "    for i, n in tiles(first, last, tile):\n"
         "        with copyin:\n"
         "            load(x_ub, x[i : i + n])\n"
         "        with compute:\n"
         "            y_ub[:] = " +
         value +
         "\n"
         "        with copyout:\n"
         "            store(y[i : i + n], y_ub)\n\n\n"
         "@host\n"
         "def op(x: tensor(f32), scale: float = 2.0):\n"
         "    y = empty(x.shape, x.dtype)\n" +
         extra +
         "    per_core = ceil_div(x.numel, 3)\n"
         "    tile = fit(per_core)\n"
         "    k[3](x, y, x.numel, per_core, tile)\n"
         "    return y\n";
}

base::Result<Outputs> RunOn(const std::string& source, const Arguments& args) {
  Compiled c = Compile(source);
  EXPECT_EQ(c.diagnostics.Render("p", source), "");
  if (c.lowered.empty()) return base::Error{"none", "does not compile", "", ""};
  return Interpret(c.programs[0], c.lowered[0], args);
}
Arguments Ten() {
  return {{{"x", {Floats({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})}}}, {{"scale", 2.0}}, {}};
}

std::string WindowsProgram(const std::string& value) {
  return "@kernel\ndef k(x: gm[rows, cols], y: gm[rows, cols], rows, cols, tile):\n    x_ub = "
         "ub(tile, cols, "
         "dtype=x.dtype)\n    y_ub = ub(tile, cols, dtype=y.dtype)\n"
         "    for i, n in tiles(0, rows, tile):\n        with copyin:\n            load(x_ub, x[i "
         ": i + n, :])\n       "
         " with compute:\n            y_ub[:] = " +
         value +
         "\n"
         "        with copyout:\n            store(y[i : i + n, :], y_ub)\n\n\n"
         "@host\ndef op(x: tensor(f32), scale: float = 2.0):\n    rows, cols = x.shape\n    y = "
         "empty(x.shape, "
         "x.dtype)\n    tile = fit(rows)\n    k[1](x, y, rows, cols, tile)\n    return y\n";
}

TEST(CraftInterpret, WindowsTakeWhatIsThere) {
  auto on = [](const std::string& value) {
    auto out =
        RunOn(WindowsProgram(value),
              {{{"x", {Floats({2, 4}, {1, 2, 3, 4, 50, 60, 70, 80})}}}, {{"scale", 2.0}}, {}});
    EXPECT_TRUE(out.ok()) << out.error().ToString();
    return out.ok() ? Values(out->tensors[0][0]) : std::vector<float>{};
  };
  const float inf = INFINITY;
  EXPECT_EQ(on("row_window_sum(x_ub, 1, cols, 1, cols, 2, 1, 1, 1)"),
            (std::vector<float>{1, 3, 5, 7, 50, 110, 130, 150}));
  EXPECT_EQ(on("row_window_max(x_ub, 1, cols, 1, cols, 2, 3, 1, 0)"),
            (std::vector<float>{2, 4, -inf, -inf, 60, 80, -inf, -inf}));
  EXPECT_EQ(on("row_window_min(x_ub, 1, cols, 1, cols, 2, 1, 2, 2)"),
            (std::vector<float>{1, 2, 1, 2, 50, 60, 50, 60}));
  auto none = RunOn(WindowsProgram("row_window_sum(x_ub, 1, cols, 1, cols, 0, 1, 1, 1)"),
                    {{{"x", {Floats({1, 2}, {1, 2})}}}, {{"scale", 2.0}}, {}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, "AK1530");
}

TEST(CraftInterpret, ElementsOverCores) {
  auto out = RunOn(Program("min(first + per_core, total)", "x_ub * x_ub - 1.0"), Ten());
  ASSERT_TRUE(out.ok()) << out.error().ToString();
  std::vector<float> y = Values(out->tensors[0][0]);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(y[i], i * i - 1.0f);
  EXPECT_EQ(out->never_written, 0);
}

// fit() sees the launch through the names that were made of its result, within an if, too.
TEST(CraftInterpret, FitSeesThroughNames) {
  const std::string launch = "k[3](x, y, x.numel, per_core, ",
                    direct = Program("min(first + per_core, total)", "x_ub * 2.0");
  std::string named = direct, within = direct;
  named.replace(named.find(launch), launch.size(),
                "twice = tile * 2\n    size = max(1, twice // 2)\n    " + launch +
                    "size if x.numel > 0 else ");
  within.replace(within.find(launch), launch.size(),
                 "size = tile\n    if x.numel > 5:\n        size = max(1, tile)\n        " +
                     launch + "size)\n    else:\n        " + launch);
  std::vector<float> many(300000, 1.5f);
  for (const std::string& source : {direct, named, within}) {
    SCOPED_TRACE(source);
    auto out = RunOn(source, {{{"x", {Floats({300000}, many)}}}, {{"scale", 2.0}}, {}});
    ASSERT_TRUE(out.ok()) << out.error().ToString();
    EXPECT_EQ(Values(out->tensors[0][0])[299999], 3.0f);
    auto files = EmitProject(Compile(source).lowered);
    EXPECT_NE(files.at("op_host/op.cpp").find(" = Fit("), std::string::npos);
  }
}

TEST(CraftInterpret, WindowOutsideOfItsTensor) {
  auto out = RunOn(Program("first + per_core", "x_ub"), Ten());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, "AK1530") << out.error().ToString();
  EXPECT_EQ(out.error().where, "line 9");
}

TEST(CraftInterpret, CoresThatWriteTheSameElement) {
  auto out = RunOn(Program("total", "x_ub"), Ten());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, "AK1531") << out.error().ToString();
}

TEST(CraftInterpret, ArgumentsAreLookedAt) {
  auto out = RunOn(Program("min(first + per_core, total)", "x_ub"), {{}, {{"scale", 2.0}}, {}});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, "AK1532");
}

// Rows are multiplied in any order, so their product is known up to roundings.
TEST(CraftInterpret, AProductOverRowsHasABound) {
  Compiled c = Compile(
      "@kernel\ndef k(x: gm[rows, cols], y: gm[1, cols], rows, cols):\n    x_ub = ub(rows, cols, "
      "dtype=x.dtype)\n    "
      "y_ub = ub(1, cols, dtype=y.dtype)\n"
      "    with copyin:\n        load(x_ub, x[:, :])\n    with compute:\n        y_ub[:] = "
      "col_prod(x_ub)\n    with "
      "copyout:\n        store(y[:, :], y_ub)\n\n\n"
      "@host\ndef op(x: tensor(f32)):\n    y = empty([1, x.shape[1]], f32)\n    k[1](x, y, "
      "x.shape[0], x.shape[1])\n   "
      " return y\n");
  ASSERT_FALSE(c.lowered.empty());
  Limits limits(c.lowered.at(0).target);
  limits.bounds = true;
  auto out = Interpret(c.programs[0], c.lowered[0],
                       {{{"x", {Floats({3, 1}, {1.1f, 2.3f, 3.7f})}}}, {}, {}}, limits);
  ASSERT_TRUE(out.ok()) << out.error().ToString();
  ASSERT_EQ(out->tensors[0][0].err.size(), 1u);
  EXPECT_GT(out->tensors[0][0].err[0], 4e-7f);
  EXPECT_LT(out->tensors[0][0].err[0], 1e-5f);
}

// A product of 3e38, 3e38 and 0 is no number in this order and zero in another one: what is
// compared with it may go either way.
TEST(CraftInterpret, AComparisonWithAnOpenValueIsOpen) {
  Compiled c = Compile(
      "@kernel\ndef k(x: gm[rows, cols], y: gm[rows, cols], rows, cols, tile):\n    x_ub = "
      "ub(tile, cols, "
      "dtype=x.dtype)\n    y_ub = ub(tile, cols, dtype=y.dtype)\n"
      "    for r, n in tiles(0, rows, tile):\n        with copyin:\n            load(x_ub, x[r : r "
      "+ n, :])\n        "
      "with compute:\n"
      "            y_ub[:] = row_cumprod(x_ub) <= 1.0\n        with copyout:\n            "
      "store(y[r : r + n, :], "
      "y_ub)\n\n\n"
      "@host\ndef op(x: tensor(f32)):\n    y = empty(x.shape, bool)\n    k[1](x, y, 1, x.numel, "
      "1)\n    return y\n");
  ASSERT_FALSE(c.lowered.empty());
  Limits limits(c.lowered.at(0).target);
  limits.bounds = true;
  auto out = Interpret(c.programs[0], c.lowered[0],
                       {{{"x", {Floats({1, 3}, {3e38f, 3e38f, 0})}}}, {}, {}}, limits);
  ASSERT_TRUE(out.ok()) << out.error().ToString();
  const std::vector<float>& err = out->tensors[0][0].err;
  ASSERT_EQ(err.size(), 3u);
  EXPECT_EQ(err[0], 0);
  EXPECT_TRUE(std::isinf(err[2])) << err[2];
}

// Shapes that arithmetic got wrong are the program's mistake, not a crash.
TEST(CraftInterpret, ShapesThatCannotBe) {
  for (const char* size : {"x.numel - 20", "x.numel * 4000000000 * 4000000000"}) {
    std::string source = Program("min(first + per_core, total)", "x_ub");
    source.replace(source.find("empty(x.shape,"), 14, std::string("empty([") + size + "],");
    auto out = RunOn(source, Ten());
    ASSERT_FALSE(out.ok()) << size;
    EXPECT_EQ(out.error().code, "AK1532") << out.error().ToString();
  }
}

TEST(CraftInterpret, NumbersThatDoNotFit) {
  for (const char* size :
       {"9000000000000000000 + x.numel * 1000000000000000000",
        "(0 - 9000000000000000000) - x.numel * 1000000000000000000", "4000000000 * 4000000000",
        "(0 - 9223372036854775807 - 1) // (x.numel - 11)"}) {
    std::string source = Program("min(first + per_core, total)", "x_ub");
    source.replace(source.find("empty(x.shape,"), 14, std::string("empty([") + size + "],");
    auto out = RunOn(source, Ten());
    ASSERT_FALSE(out.ok()) << size;
    EXPECT_NE(out.error().ToString().find("does not fit 64 bits"), std::string::npos)
        << out.error().ToString();
  }
}

TEST(CraftInterpret, RequireSpeaks) {
  auto out = RunOn(
      Program("min(first + per_core, total)", "x_ub", "    require(x.numel % 16 == 0)\n"), Ten());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, "AK1533");
}

TEST(CraftInterpret, ElementsNobodyWrites) {
  auto out = RunOn(Program("min(first + per_core - 1, total)", "x_ub"), Ten());
  ASSERT_TRUE(out.ok()) << out.error().ToString();
  EXPECT_EQ(out->never_written, 2);
}

TEST(CraftInterpret, SoftmaxOfRows) {
  auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/examples/craft/softmax.py");
  ASSERT_TRUE(text.ok());
  auto out = RunOn(*text, {{{"x", {Floats({2, 3}, {1, 2, 3, -1, 0, 5})}}}, {}, {}});
  ASSERT_TRUE(out.ok()) << out.error().ToString();
  std::vector<float> y = Values(out->inputs.at("x")[0]);
  for (int r = 0; r < 2; ++r) {
    const float x[2][3] = {{1, 2, 3}, {-1, 0, 5}};
    double sum = std::exp(x[r][0]) + std::exp(x[r][1]) + std::exp(x[r][2]);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(y[r * 3 + c], std::exp(x[r][c]) / sum, 1e-6);
  }
}

// As the unit does it: NaN is the largest and the smallest, at its first place.
TEST(CraftInterpret, ArgumentOfAnExtremeWithNaN) {
  TileData x = MakeTile(base::Dtype::kFloat32, 1, 5);
  x.f = {1, 7, std::nanf(""), 9, std::nanf("")};
  for (ir::Op op : {ir::Op::k_row_argmax, ir::Op::k_row_argmin}) {
    ir::Value v;
    v.op = op;
    v.dtype = base::Dtype::kInt32;
    EXPECT_EQ(Evaluate(v, {&x}, 1, 1).i[0], 2);
  }
}

}  // namespace
}  // namespace akgen::craft
