// Products: what the checker refuses, what the interpreter makes of them, what the passes promise.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/interpret/arguments.h"
#include "craft/syntax/parser.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

// A product of a and b with `stages` in the loop over blocks.
std::string Product(const std::string& stages, const std::string& buffers = "    c = acc(tm, tn)\n",
                    const std::string& dtypes = "f16") {
  return "@kernel\ndef k(a: gm[m, k], b: gm[k, n], row: gm[n], d: gm[m, n], tm, tn):\n" + buffers +
         "    for i, h, j, w in blocks(m, tm, n, tn):\n" + stages + "\n\n@host\ndef op(a: tensor(" +
         dtypes +
         ")[m, k], b: tensor(a)[k, n], row: tensor(f32)[n]):\n    d = empty([m, n], f16)\n"
         "    tm, tn = block(m, n, k)\n    k[best_cores()](a, b, row, d, tm, tn)\n    return d\n";
}
const char kMultiply[] = "        with cube: c[:] = a[i : i + h, :] @ b[:, j : j + w]\n";
const char kStore[] = "        with copyout: store(d[i : i + h, j : j + w], c)\n";

std::string FirstMessage(const std::string& source) {
  Compiled c = Compile(source);
  return c.diagnostics.empty() ? "" : c.diagnostics.list()[0].message;
}

int Calls(const CubeBlock& b, CubeOp op) {
  int n = 0;
  for (const CubeInstr& i : b) n += (i.op == op) + Calls(i.body, op) + Calls(i.other, op);
  return n;
}

TEST(CraftCube, ProductLowers) {
  const std::string source = Product(std::string(kMultiply) + kStore);
  Compiled c = Compile(source);
  EXPECT_EQ(c.diagnostics.Render("p", source), "");
  ASSERT_EQ(c.lowered.size(), 1u);
  ASSERT_TRUE(c.lowered[0].kernels[0].cube);
  EXPECT_TRUE(c.lowered[0].kernels[0].kernel.body.empty()) << "nothing is left for Vector cores";
}

TEST(CraftCube, RefusesWhatTheCubeCoreCannotDo) {
  const struct {
    std::string stages, message;
  } rows[] = {
      {"        with cube: c[:] = a[i : i + h, :] + b[:, j : j + w]\n",
       "a cube stage only multiplies matrices"},
      {"        with cube: c[:] = a[i : i + h, :] @ b[j : j + w, :]\n", "[h, k] @ [w, n]"},
      {"        with cube: c[:] += a[i : i + h, :] @ b[:, j : j + w]\n",
       "c is added to before anything was written to it"},
      {std::string(kMultiply) + "        with compute: c[:] = c * 2.0\n",
       "'c' lies on the Cube core"},
      {"        with compute: c[:] = a[i : i + h, :] @ b[:, j : j + w]\n",
       "a product of matrices outside of a cube stage"},
      {std::string(kMultiply) + "        with copyout: store(d[i : i + h, j : j + w], c * 0.5)\n",
       "sums are scaled on their way out from i32 to f16 alone"},
      {std::string(kMultiply) + "        with copyout: store(d[i : i + h, j : j + w], exp(c))\n",
       "'exp(c)' is not a buffer"},
      {std::string(kMultiply) + "        with copyout: store(d[i : i + h, :], c)\n",
       "c holds [h, w], the window is [h, n]"},
      {"        with copyin: load(c, d[i : i + h, j : j + w])\n", "'c' lies on the Cube core"},
      {std::string(kMultiply) + "        with compute: z = iota(0, w) * 1.0\n",
       "a kernel with products has stages for vector cores, but hands nothing over"},
      {"        for q, r in blocks(m, tm):\n            pass\n", "blocks() inside a loop"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(FirstMessage(Product(row.stages)), row.message) << row.stages;
}

// What two vector cores cannot share by rows, and handovers that no ring can serve.
TEST(CraftCube, RefusesHandoversThatRowsCannotBeSharedOf) {
  const std::string buffers =
      "    c = acc(tm, tn)\n    x, y = ub(tm, tn, dtype=f32), ub(1, tn, dtype=d.dtype)\n"
      "    z = ub(tm, tn, dtype=d.dtype)\n";
  const std::string move = std::string(kMultiply) + "        with handover: move(x, c)\n";
  const struct {
    std::string stages, message;
  } rows[] = {
      {move + "        with compute: y[:] = col_sum(x)\n        with copyout: store(d[i : i + 1, j "
              ": j + w], y)\n",
       "col_sum() joins rows, which two vector cores share"},
      {move + "        with compute: z[:] = x * 1.0\n        with copyout: store(d[0:h, j : j + "
              "w], z)\n",
       "both vector cores of a block would store the same rows"},
      {std::string(kMultiply) + "        with handover: move(z, c)\n",
       "z is f16, c is f32: a handover does not convert"},
      {"        with handover: move(x, c)\n", "c is handed over before anything was written to it"},
      {std::string(kMultiply) + "        with handover: move(c, x)\n",
       "sums are handed over to a buffer of a vector core"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(FirstMessage(Product(row.stages, buffers)), row.message) << row.stages;
}

// Each tile's slot is full, free, and waited for as often as it is said to be.
TEST(CraftCube, HandoverSetsAndWaitsForFlagsInPairs) {
  const std::string buffers =
      "    c = acc(tm, tn)\n    x, z = ub(tm, tn, dtype=f32), ub(tm, tn, dtype=d.dtype)\n";
  Compiled c = Compile(Product(std::string(kMultiply) + "        with handover: move(x, c)\n" +
                                   "        with compute: z[:] = x * 2.0\n" +
                                   "        with copyout: store(d[i : i + h, j : j + w], z)\n",
                               buffers));
  ASSERT_EQ(c.lowered.size(), 1u);
  const LoweredKernel& k = c.lowered[0].kernels[0];
  ASSERT_EQ(k.rings.size(), 1u);
  EXPECT_EQ(Calls(k.cube->body, CubeOp::cross_set), 1);
  EXPECT_EQ(Calls(k.cube->body, CubeOp::cross_wait), 2)
      << "in the loop from the third tile on, and behind it";
  int sets = 0, waits = 0;
  std::function<void(const ir::Block&)> count = [&](const ir::Block& b) {
    for (const auto& s : b) {
      if (s->kind == ir::Stmt::kFlag) ++(s->flag.set ? sets : waits);
      count(s->body);
      count(s->other);
    }
  };
  count(k.kernel.body);
  EXPECT_EQ(sets, 2) << "with rows, and without";
  EXPECT_EQ(waits, 2);
}

TEST(CraftCube, RefusesDtypesThatTheCubeCoreDoesNotMultiply) {
  const std::string all = std::string(kMultiply) + kStore;
  EXPECT_EQ(FirstMessage(Product(all, "    c = acc(tm, tn)\n", "i32")),
            "the Cube core does not multiply i32");
  EXPECT_EQ(FirstMessage(Product(all, "    c = acc(tm, tn)\n", "i8")),
            "sums of i8 are i32, c is f32");
  EXPECT_EQ(FirstMessage(Product(all, "    c = acc(tm, tn, dtype=f16)\n")),
            "sums are f32, or i32 for products of i8");
  EXPECT_EQ(FirstMessage(Product(all, "    c = acc(tm)\n")),
            "acc() takes rows, columns and a dtype");
}

TEST(CraftCube, ExtentsAreNamedByTensors) {
  const std::string source =
      "@kernel\ndef k(x: gm[rows, cols], tm):\n    x_ub = ub(tm, cols, dtype=f32)\n"
      "    for i, h in blocks(rows, tm):\n        with copyin: load(x_ub, x[i : i + h, :])\n\n\n"
      "@host\ndef op(x: tensor(f32)):\n    y = workspace(x.numel, f32)\n    k[1](y, 16)\n    "
      "return x\n";
  EXPECT_EQ(FirstMessage(source), "the extent 'rows' of y is not known");
}

// The text of a program keeps stages on one line.
TEST(CraftCube, FormatKeepsStagesOnOneLine) {
  Diagnostics d;
  const std::string source = Product(std::string(kMultiply) + kStore);
  const std::string text = Format(source, d);
  EXPECT_NE(text.find("with cube: c[:] = a[i : i + h, :] @ b[:, j : j + w]\n"), std::string::npos)
      << text;
  EXPECT_EQ(Format(text, d), text);
  EXPECT_TRUE(d.empty());
}

Outputs RunCase(const std::string& source, const std::string& text) {
  Compiled c = Compile(source);
  EXPECT_EQ(c.diagnostics.Render("p", source), "");
  auto parsed = ParseCase(c.programs, text, 3);
  EXPECT_TRUE(parsed.ok());
  auto out = Interpret(c.programs[parsed->column], c.lowered[parsed->column], parsed->args);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return out.ok() ? *out : Outputs{};
}

std::vector<float> Floats(const Tensor& t) {
  std::vector<float> out(static_cast<size_t>(t.Numel()));
  for (size_t i = 0; i < out.size(); ++i) {
    uint16_t bits = 0;
    if (t.dtype == base::Dtype::kFloat32) std::memcpy(&out[i], t.bytes.data() + 4 * i, 4);
    if (t.dtype == base::Dtype::kFloat16)
      std::memcpy(&bits, t.bytes.data() + 2 * i, 2), out[i] = ShortValue(t.dtype, bits);
  }
  return out;
}

TEST(CraftCube, InterpreterMultipliesMatrices) {
  const std::string source =
      Product(std::string(kMultiply) + kStore, "    c = acc(tm, tn)\n", "f32");
  for (const auto& [m, k, n] : {std::tuple{1, 1, 1}, {5, 7, 3}, {130, 9, 140}, {2, 300, 1}}) {
    Outputs out =
        RunCase(source, fmt::format("a=f32[{0},{1}] b=f32[{1},{2}] row=f32[{2}]", m, k, n));
    const std::vector<float> a = Floats(out.inputs.at("a")[0]), b = Floats(out.inputs.at("b")[0]),
                             d = Floats(out.tensors[0][0]);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int q = 0; q < k; ++q) sum += static_cast<double>(a[i * k + q]) * b[q * n + j];
        ASSERT_NEAR(d[i * n + j], sum, std::fabs(sum) * 0x1p-10 + 1e-4)
            << m << "x" << k << "x" << n;
      }
  }
}

TEST(CraftCube, SumsBeyondHalfAreInfinite) {
  const std::string source =
      Product(std::string(kMultiply) + kStore, "    c = acc(tm, tn)\n", "f32");
  Compiled c = Compile(source);
  auto parsed = ParseCase(c.programs, "a=f32[1,1] b=f32[1,1] row=f32[1]", 1);
  ASSERT_TRUE(parsed.ok());
  const float big = 1e20f;
  for (const char* name : {"a", "b"})
    std::memcpy(parsed->args.tensors[name][0].bytes.data(), &big, 4);
  auto out = Interpret(c.programs[0], c.lowered[0], parsed->args);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(Floats(out->tensors[0][0])[0], std::numeric_limits<float>::infinity());
}

// What an infinite operand gives depends on the order of the sum: no bound holds.
TEST(CraftCube, SumsOfInfinitiesAreOpen) {
  Compiled c = Compile(Product(std::string(kMultiply) + kStore));
  ASSERT_EQ(c.lowered.size(), 1u);
  auto one = ParseCase(c.programs, "a=f16[1, 2]{1, 1} b=f16[2, 1]{2, 2} row=f32[1]", 1);
  ASSERT_TRUE(one.ok()) << one.error().message;
  const uint16_t infinite = 0xfc00;
  std::memcpy(one->args.tensors["b"][0].bytes.data(), &infinite, sizeof infinite);
  Limits limits(DefaultTarget());
  limits.bounds = true;
  auto ran = Interpret(c.programs[0], c.lowered[0], one->args, limits);
  ASSERT_TRUE(ran.ok());
  ASSERT_EQ(ran->tensors[0][0].err.size(), 1u);
  EXPECT_TRUE(std::isinf(ran->tensors[0][0].err[0])) << ran->tensors[0][0].err[0];
}

TEST(CraftCube, TensorsOfQueuesAreGivenBack) {
  Compiled c = Compile(Product(std::string(kMultiply) + kStore));
  const CubeKernel& k = *c.lowered[0].kernels[0].cube;
  for (CubeOp op : {CubeOp::alloc, CubeOp::enque, CubeOp::deque, CubeOp::release})
    EXPECT_EQ(Calls(k.body, op), 4) << "two tiles in L1, two in L0";
  EXPECT_TRUE(VerifyCube(k).ok());
  CubeKernel broken = k;
  broken.body.back().body.clear();
  EXPECT_TRUE(VerifyCube(broken).ok());
  broken = k;
  CubeInstr alloc;
  alloc.op = CubeOp::alloc;
  alloc.tensors = {1};
  broken.body.push_back(alloc);
  EXPECT_FALSE(VerifyCube(broken).ok()) << "what is taken and not given back";
  alloc.op = CubeOp::load_a;
  alloc.tensors = {0, 1};
  alloc.numbers.assign(4, ir::Int(1));
  broken.body.back() = alloc;
  EXPECT_FALSE(VerifyCube(broken).ok()) << "a load into L0C";
}

// Sums of floats that one product makes leave by unit flags; what is added to goes through a queue.
TEST(CraftCube, UnitFlagsWhereOneProductMakesTheSums) {
  auto unit_flag = [](const std::string& stages) {
    Compiled c = Compile(Product(stages));
    EXPECT_TRUE(c.diagnostics.empty());
    return c.lowered.empty() ? false : c.lowered[0].kernels[0].cube->tensors[0].depth == 0;
  };
  EXPECT_TRUE(unit_flag(std::string(kMultiply) + kStore));
  EXPECT_FALSE(unit_flag(std::string(kMultiply) +
                         "        with cube: c[:] += a[i : i + h, :] @ b[:, j : j + w]\n" +
                         kStore));
  EXPECT_FALSE(unit_flag(std::string(kMultiply) + kStore + kStore));
}

}  // namespace
}  // namespace akgen::craft
