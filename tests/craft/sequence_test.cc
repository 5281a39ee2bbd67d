// Launches that follow each other, host functions that call each other, and graphs with products
// that become them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "craft/craft.h"
#include "craft/interpret/interpret.h"
#include "craft/plan/plan.h"
#include "craft/syntax/parser.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {
using base::Dtype;
using base::Json;
using Shape = std::vector<int64_t>;

// ---- host functions that call each other ----

const std::string kScaleKernel =
    "@kernel\n"
    "def scale_kernel(x: gm[n], y: gm[n], n, tile, factor):\n"
    "    a, b = ub(tile, dtype=x.dtype), ub(tile, dtype=y.dtype)\n"
    "    for i, h in tiles(core() * tile, n, tile * cores()):\n"
    "        with copyin: load(a, x[i : i + min(h, tile)])\n"
    "        with compute: b[:] = a * factor\n"
    "        with copyout: store(y[i : i + min(h, tile)], b)\n"
    "\n\n";
const std::string kScale = kScaleKernel +
                           "@host\n"
                           "def scale(x: tensor(f32)[n], factor: float = 2.0):\n"
                           "    y = empty([n], f32)\n"
                           "    tile = fit(align(n, 64), 64)\n"
                           "    scale_kernel[1](x, y, n, tile, factor)\n"
                           "    return y\n"
                           "\n\n";

TEST(CraftSequence, WhatACalledFunctionMakesIsAWorkspaceUnlessItIsReturned) {
  const std::string text =
      kScale +
      "@host\ndef op(x: tensor(f32)):\n    a = scale(x)\n    b = scale(a, 3.0)\n"
      "    c = scale(b, factor=0.5)\n    return c, a\n";
  Compiled c = Compile(text);
  ASSERT_EQ(c.diagnostics.Render("p", text), "");
  const ir::Program& p = c.programs[0];
  ASSERT_EQ(p.kernels.size(), 3u);
  EXPECT_TRUE(p.sequence);
  ASSERT_EQ(p.tensors.size(), 3u);
  EXPECT_EQ(p.tensors[0].name, "c") << "in the order of return";
  EXPECT_EQ(p.tensors[1].name, "a");
  EXPECT_EQ(p.tensors[2].kind, ir::HostTensor::kWorkspace);
  Tensor x{Dtype::kFloat32, {5}, std::vector<uint8_t>(20)};
  const float values[] = {1, 2, 3, 4, 5};
  std::memcpy(x.bytes.data(), values, 20);
  auto out = Interpret(p, c.lowered[0], {{{"x", {x}}}, {}, {}});
  ASSERT_TRUE(out.ok()) << out.error().ToString();
  float last = 0;
  std::memcpy(&last, out->tensors[0][0].bytes.data() + 16, 4);
  EXPECT_EQ(last, 15.0f);
}

TEST(CraftSequence, OneLaunchOnEachPathIsNoSequence) {
  const std::string text =
      kScaleKernel +
      "@host\ndef op(x: tensor(f32), twice: bool):\n    y = empty(x.shape, f32)\n"
      "    if twice:\n        scale_kernel[1](x, y, x.numel, 64, 2.0)\n"
      "    else:\n        scale_kernel[1](x, y, x.numel, 64, 4.0)\n    return y\n";
  Compiled c = Compile(text);
  ASSERT_EQ(c.diagnostics.Render("p", text), "");
  EXPECT_FALSE(c.programs[0].sequence);
}

struct RefusedCall {
  const char *body, *says;
};
const RefusedCall kRefusedCalls[] = {
    {"    y, z = scale(x)\n    return y\n", "scale gives 1 tensors, not 2"},
    {"    y = scale()\n    return y\n", "argument 'x' of scale is missing"},
    {"    y = scale(x, 1.0, 2.0)\n    return y\n", "scale takes 2 arguments, not 3"},
    {"    y = op(x)\n    return y\n", "op is called before it is written"},
    {"    y = empty(x.shape, f32)\n    return y\n", "nothing calls the host function scale"},
};
TEST(CraftSequence, CallsThatCannotBeAreRefusedByName) {
  for (const RefusedCall& r : kRefusedCalls) {
    Compiled c = Compile(kScale + "@host\ndef op(x: tensor(f32)):\n" + r.body);
    ASSERT_FALSE(c.diagnostics.empty()) << r.says;
    EXPECT_NE(c.diagnostics.list()[0].message.find(r.says), std::string::npos)
        << c.diagnostics.list()[0].message;
    EXPECT_EQ(c.diagnostics.list()[0].code, "AK1515");
  }
}

TEST(CraftSequence, WhatIsReturnedMayBeACall) {
  const std::string text =
      kScale +
      "@host\ndef twice(x: tensor(f32)):\n    return scale(scale(x))\n\n\n"
      "@host\ndef op(x: tensor(f32)):\n    a = scale(x)\n    return twice(a), a\n";
  Compiled c = Compile(text);
  ASSERT_EQ(c.diagnostics.Render("p", text), "");
  const ir::Program& p = c.programs[0];
  EXPECT_EQ(p.kernels.size(), 3u);
  EXPECT_EQ(std::count_if(p.tensors.begin(), p.tensors.end(),
                          [](const auto& t) { return t.kind == ir::HostTensor::kOutput; }),
            2);
  EXPECT_EQ(p.tensors[1].name, "a");
}

// An attribute may choose a dimension whose extents have names.
TEST(CraftSequence, NamedExtentsAreStillAShape) {
  const std::string text =
      kScaleKernel +
      "@host\ndef op(x: tensor(f32)[m, k], dim: int):\n    y = empty(x.shape, f32)\n"
      "    n = x.shape[dim] * prod(x.shape[:dim])\n    require(n > 0 and y.shape[1] == k)\n"
      "    scale_kernel[1](x, y, x.numel, 64, 2.0)\n    return y\n";
  Compiled c = Compile(text);
  EXPECT_EQ(c.diagnostics.Render("p", text), "");
}

TEST(CraftSequence, CallsThatDoubleAreRefused) {
  std::string text = kScale;
  std::string before = "scale";
  for (int i = 0; i < 16; ++i) {
    const std::string name = "f" + std::to_string(i);
    text += "@host\ndef " + name + "(x: tensor(f32)):\n    a = " + before +
            "(x)\n    b = " + before + "(a)\n    return b\n\n\n";
    before = name;
  }
  Compiled c = Compile(text);
  ASSERT_FALSE(c.diagnostics.empty());
  EXPECT_NE(c.diagnostics.list()[0].message.find("more than 4096 calls"), std::string::npos);
}

// ---- graphs with products ----

struct Values {
  Shape shape;
  std::vector<double> v;
};
Json T(const char* id) { return {{"t", id}}; }
Json N(Json number) { return {{"s", std::move(number)}}; }
Json Node(const char* op, Json args, const char* id, Shape shape) {
  return {{"op", op},
          {"args", args},
          {"out", Json::array({{{"id", id}, {"shape", shape}, {"dtype", "Double"}}})}};
}

struct Planned {
  const char* name;
  std::vector<Shape> inputs;
  Dtype dtype;
  Json nodes;
  Shape result;
  int products;
  // The result's element at these indices, from inputs.
  double (*expected)(const std::vector<Values>& x, const Shape& at);
};

double At(const Values& x, const Shape& at) {
  int64_t flat = 0;
  for (size_t d = 0; d < at.size(); ++d) flat = flat * x.shape[d] + at[d];
  return x.v[static_cast<size_t>(flat)];
}

// einsum, and matmul of stacks that differ.
const std::vector<Planned>& Contractions() {
  static const std::vector<Planned> kGraphs = {
      {"heads by einsum",
       {{2, 5, 3, 8}, {2, 6, 3, 8}},
       Dtype::kFloat32,
       Json::array({Node("einsum", {N("blhd,bmhd->bhlm"), {{"l", {T("x0"), T("x1")}}}}, "r",
                         {2, 3, 5, 6})}),
       {2, 3, 5, 6},
       1,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = 0;
         for (int64_t d = 0; d < 8; ++d)
           sum += At(x[0], {at[0], at[2], at[1], d}) * At(x[1], {at[0], at[3], at[1], d});
         return sum;
       }},
      {"heads that share one side, by einsum",
       {{2, 5, 3, 8}, {2, 6, 1, 8}},
       Dtype::kFloat32,
       Json::array({Node("einsum", {N("blhd,bmhd->bhlm"), {{"l", {T("x0"), T("x1")}}}}, "r",
                         {2, 3, 5, 6})}),
       {2, 3, 5, 6},
       1,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = 0;
         for (int64_t d = 0; d < 8; ++d)
           sum += At(x[0], {at[0], at[2], at[1], d}) * At(x[1], {at[0], at[3], 0, d});
         return sum;
       }},
      {"an einsum of leading dimensions that says no result",
       {{2, 5, 8}, {2, 8, 6}},
       Dtype::kFloat32,
       Json::array(
           {Node("einsum", {N("...ij,...jk"), {{"l", {T("x0"), T("x1")}}}}, "r", {2, 5, 6})}),
       {2, 5, 6},
       1,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = 0;
         for (int64_t j = 0; j < 8; ++j)
           sum += At(x[0], {at[0], at[1], j}) * At(x[1], {at[0], j, at[2]});
         return sum;
       }},
      {"matrices that share one side, by matmul",
       {{2, 3, 5, 8}, {2, 1, 8, 6}},
       Dtype::kFloat32,
       Json::array({Node("matmul", {T("x0"), T("x1")}, "r", {2, 3, 5, 6})}),
       {2, 3, 5, 6},
       1,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = 0;
         for (int64_t d = 0; d < 8; ++d)
           sum += At(x[0], {at[0], at[1], at[2], d}) * At(x[1], {at[0], 0, d, at[3]});
         return sum;
       }},
      {"a token that is repeated for each of a batch, before what the batch has",
       {{1, 1, 8}, {4, 5, 8}, {8, 7}},
       Dtype::kFloat32,
       Json::array(
           {Node("expand", {T("x0"), {{"l", {N(4), N(-1), N(-1)}}}, N(false)}, "t", {4, 1, 8}),
            Node("cat", {{{"l", {T("t"), T("x1")}}}, N(1)}, "c", {4, 6, 8}),
            Node("matmul", {T("c"), T("x2")}, "r", {4, 6, 7})}),
       {4, 6, 7},
       1,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = 0;
         for (int64_t d = 0; d < 8; ++d)
           sum += (at[1] == 0 ? At(x[0], {0, 0, d}) : At(x[1], {at[0], at[1] - 1, d})) *
                  At(x[2], {d, at[2]});
         return sum;
       }},
  };
  return kGraphs;
}

const std::vector<Planned>& Graphs() {
  static const std::vector<Planned> kGraphs = {
      {"linear",
       {{5, 20}, {7, 20}, {7}},
       Dtype::kFloat16,
       Json::array({Node("linear", {T("x0"), T("x1"), T("x2")}, "r", {5, 7})}),
       {5, 7},
       1,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = At(x[2], {at[1]});
         for (int64_t k = 0; k < 20; ++k) sum += At(x[0], {at[0], k}) * At(x[1], {at[1], k});
         return sum;
       }},
      {"rows of all matrices by one right side",
       {{2, 3, 20}, {20, 7}},
       Dtype::kFloat32,
       Json::array({Node("matmul", {T("x0"), T("x1")}, "r", {2, 3, 7})}),
       {2, 3, 7},
       1,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = 0;
         for (int64_t k = 0; k < 20; ++k) sum += At(x[0], {at[0], at[1], k}) * At(x[1], {k, at[2]});
         return sum;
       }},
      {"attention",
       {{2, 5, 8}, {2, 6, 8}, {2, 6, 9}},
       Dtype::kFloat32,
       Json::array({Node("transpose", {T("x1"), N(-1), N(-2)}, "k", {2, 8, 6}),
                    Node("matmul", {T("x0"), T("k")}, "s", {2, 5, 6}),
                    Node("softmax", {T("s"), N(-1)}, "p", {2, 5, 6}),
                    Node("matmul", {T("p"), T("x2")}, "r", {2, 5, 9})}),
       {2, 5, 9},
       2,
       [](const std::vector<Values>& x, const Shape& at) {
         double whole = 0, sum = 0;
         for (int64_t j = 0; j < 6; ++j) {
           double s = 0;
           for (int64_t d = 0; d < 8; ++d)
             s += At(x[0], {at[0], at[1], d}) * At(x[1], {at[0], j, d});
           whole += std::exp(s);
           sum += std::exp(s) * At(x[2], {at[0], j, at[2]});
         }
         return sum / whole;
       }},
  };
  return kGraphs;
}

// Parts and products that are shared, and what lies between them.
const std::vector<Planned>& SharedAndOrdered() {
  static const std::vector<Planned> kGraphs = {
      {"two products by one kernel",
       {{4, 4}, {4, 4}},
       Dtype::kFloat32,
       Json::array({Node("matmul", {T("x0"), T("x1")}, "p", {4, 4}),
                    Node("matmul", {T("p"), T("x1")}, "r", {4, 4})}),
       {4, 4},
       2,
       [](const std::vector<Values>& x, const Shape& at) {
         double sum = 0;
         for (int64_t k = 0; k < 4; ++k)
           for (int64_t j = 0; j < 4; ++j)
             sum += At(x[0], {at[0], j}) * At(x[1], {j, k}) * At(x[1], {k, at[1]});
         return sum;
       }},
      {"a vector as a column where there are as many rows",
       {{4}, {4, 4}, {4, 4}},
       Dtype::kFloat32,
       Json::array({Node("ge", {T("x0"), N(0)}, "c", {4}),
                    Node("reshape", {T("c"), {{"l", {N(4), N(1)}}}}, "d", {4, 1}),
                    Node("where", {T("d"), T("x1"), T("x2")}, "r", {4, 4})}),
       {4, 4},
       0,
       [](const std::vector<Values>& x, const Shape& at) {
         return At(x[0], {at[0]}) >= 0 ? At(x[1], at) : At(x[2], at);
       }},
      {"rows in order",
       {{3, 11}},
       Dtype::kFloat32,
       Json::array({{{"op", "sort"},
                     {"args", {T("x0"), N(-1), N(true)}},
                     {"out",
                      {{{"id", "r"}, {"shape", {3, 11}}, {"dtype", "Double"}},
                       {{"id", "i"}, {"shape", {3, 11}}, {"dtype", "Long"}}}}}}),
       {3, 11},
       0,
       [](const std::vector<Values>& x, const Shape& at) {
         std::vector<double> row(x[0].v.begin() + at[0] * 11, x[0].v.begin() + at[0] * 11 + 11);
         std::sort(row.rbegin(), row.rend());
         return row[static_cast<size_t>(at[1])];
       }},
  };
  return kGraphs;
}

TEST(CraftSequence, GraphsWithProductsAreLaunches) {
  std::vector<Planned> all = Graphs();
  for (const auto* more : {&Contractions(), &SharedAndOrdered()})
    all.insert(all.end(), more->begin(), more->end());
  for (const Planned& g : all) {
    SCOPED_TRACE(g.name);
    PlanTask t;
    PlanCase one;
    Arguments args;
    std::vector<Values> x;
    std::mt19937 draw(7);
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      const std::string id = "x" + std::to_string(i);
      t.params.push_back({id, false, false, false, "", {g.dtype}});
      one.shapes[id] = g.inputs[i];
      Tensor tensor{g.dtype, g.inputs[i], {}};
      Values values{g.inputs[i], {}};
      for (int64_t n = 0; n < tensor.Numel(); ++n) {  // eighths: exact in half
        const double v = static_cast<double>(static_cast<int>(draw() % 17) - 8) / 8;
        values.v.push_back(v);
        const float f = static_cast<float>(v);
        const uint16_t half = base::FloatToHalf(f);
        const auto* bytes = g.dtype == Dtype::kFloat16 ? reinterpret_cast<const uint8_t*>(&half)
                                                       : reinterpret_cast<const uint8_t*>(&f);
        tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + base::SizeOf(g.dtype));
      }
      x.push_back(values);
      args.tensors[id] = {tensor};
    }
    t.outputs = {{false, {Dtype::kFloat32}, "", true}};
    one.outputs = {g.result};
    one.graph = record::GraphFromJson({{"nodes", g.nodes}, {"outputs", {"r"}}});
    t.cases = {one};
    auto text = Plan(t);
    ASSERT_TRUE(text.ok()) << text.error().ToString();
    Compiled c = Compile(*text);
    ASSERT_EQ(c.diagnostics.Render("plan", *text), "");
    const auto& kernels = c.programs[0].kernels;
    EXPECT_EQ(std::count_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.cube; }),
              g.products)
        << *text;
    if (g.name == std::string("two products by one kernel"))
      EXPECT_EQ(text->find("product2_kernel"), std::string::npos) << *text;
    auto out = Interpret(c.programs[0], c.lowered[0], args);
    ASSERT_TRUE(out.ok()) << out.error().ToString();
    const Tensor& got = out->tensors[0][0];
    Shape at(g.result.size(), 0);
    for (int64_t n = 0; n < got.Numel(); ++n) {
      int64_t rest = n;
      for (size_t d = at.size(); d-- > 0; rest /= g.result[d]) at[d] = rest % g.result[d];
      float value = 0;
      std::memcpy(&value, got.bytes.data() + 4 * n, 4);
      ASSERT_NEAR(value, g.expected(x, at), 1e-4) << "element " << n;
    }
  }
}

// Each extent is asked for by all that comes after it.
TEST(CraftSequence, SizesOfLongChainsAreFoundOnce) {
  PlanTask t;
  PlanCase one;
  for (const char* id : {"x0", "x1"})
    t.params.push_back({id, false, false, false, "", {Dtype::kFloat32}});
  one.shapes = {{"x0", {4, 8}}, {"x1", {8, 8}}};
  one.outputs = {{4, 8}};
  Json nodes = Json::array({Node("matmul", {T("x0"), T("x1")}, "v0", {4, 8})});
  std::string last = "v0";
  for (int k = 1; k < 40; ++k) {
    const std::string next = "v" + std::to_string(k);
    nodes.push_back(
        Node(k % 2 ? "relu" : "neg", Json::array({T(last.c_str())}), next.c_str(), {4, 8}));
    last = next;
  }
  nodes.push_back(Node("matmul", {T(last.c_str()), T("x1")}, "r", {4, 8}));
  one.graph = record::GraphFromJson({{"nodes", nodes}, {"outputs", {"r"}}});
  t.outputs = {{false, {Dtype::kFloat32}, "", true}};
  t.cases = {one};
  const auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
}

TEST(CraftSequence, ProductsThatCubeCoresDoNotMakeAreRefusedByName) {
  PlanTask t;
  PlanCase one;
  for (const char* id : {"x0", "x1"})
    t.params.push_back({id, false, false, false, "", {Dtype::kInt32}});
  one.shapes = {{"x0", {4, 4}}, {"x1", {4, 4}}};
  one.outputs = {{4, 4}};
  one.graph = record::GraphFromJson(
      {{"nodes", Json::array({Node("matmul", {T("x0"), T("x1")}, "r", {4, 4})})},
       {"outputs", {"r"}}});
  t.outputs = {{false, {Dtype::kInt32}, "", true}};
  t.cases = {one};
  auto text = Plan(t);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("a product of integers"), std::string::npos)
      << text.error().message;
}

}  // namespace
}  // namespace akgen::craft
