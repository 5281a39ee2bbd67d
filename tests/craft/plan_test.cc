// The planner: rules over graphs without names, and what it refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/interpret/interpret.h"
#include "craft/plan/decompose.h"
#include "craft/plan/plan.h"
#include "craft/syntax/parser.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {
using base::Json;

Json Node(const char* op, Json args, const char* id, std::vector<int64_t> shape) {
  return {{"op", op},
          {"args", args},
          {"out", Json::array({{{"id", id}, {"shape", shape}, {"dtype", "Double"}}})}};
}
Json T(const char* id) { return {{"t", id}}; }
record::GraphNode NodeOf(const Json& node) {
  return record::GraphFromJson({{"nodes", Json::array({node})}, {"outputs", Json::array()}})
      .nodes[0];
}

PlanTask RowNorm(std::vector<int64_t> shape) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {base::Dtype::kFloat16, base::Dtype::kFloat32}}};
  t.outputs = {{false, {base::Dtype::kFloat16, base::Dtype::kFloat32}, "", true}};
  std::vector<int64_t> stat = {shape[0], 1};
  PlanCase c;
  c.shapes["x0"] = shape;
  c.graph = record::GraphFromJson(
      {{"nodes",
        Json::array({Node("mul", {T("x0"), T("x0")}, "a", shape),
                     Node("sum", {T("a"), {{"l", {-1}}}, {{"s", true}}, nullptr}, "b", stat),
                     Node("div", {T("x0"), T("b")}, "c", shape)})},
       {"outputs", {"c"}}});
  t.cases = {c};
  return t;
}

TEST(CraftPlan, RowsWithAReductionBecomeAProgramThatLowers) {
  auto text = Plan(RowNorm({6, 100}));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  Compiled c = Compile(*text);
  EXPECT_EQ(c.diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("row_sum"), std::string::npos);
  EXPECT_NE(text->find("kernel0_parts"), std::string::npos) << "rows of any length";
  Diagnostics d;
  EXPECT_EQ(Format(*text, d), *text + (text->back() == '\n' ? "" : "\n"))
      << "planned programs are formatted";
}

TEST(CraftPlan, NamesOfValuesDoNotMatter) {
  PlanTask a = RowNorm({6, 100}), b = a;
  std::string graph = record::ToJson(b.cases[0].graph).dump();
  for (auto [from, to] :
       {std::pair{"\"a\"", "\"alpha\""}, {"\"b\"", "\"beta\""}, {"\"c\"", "\"gamma\""}})
    for (size_t at = graph.find(from); at != std::string::npos; at = graph.find(from, at + 1))
      graph.replace(at, 3, to);
  b.cases[0].graph = record::GraphFromJson(Json::parse(graph));
  EXPECT_EQ(*Plan(a), *Plan(b));
}

// A norm is the root of a sum, a sum, or the largest or smallest of what it reduces.
TEST(CraftPlan, EachNormIsWhatItsOrderSays) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  struct Row {
    record::GraphArg order;
    std::vector<std::string> operations;
  };
  const std::vector<std::string> of_squares{"mul", "sum", "sqrt"};
  const Row rows[] = {{record::GraphArg(), of_squares},
                      {NodeMaker::Number(2), of_squares},
                      {NodeMaker::Number(1), {"abs", "sum"}},
                      {NodeMaker::Number(kInf), {"abs", "amax"}},
                      {NodeMaker::Number(-kInf), {"abs", "amin"}},
                      {NodeMaker::Number(3), {"abs", "pow", "sum", "pow"}},
                      {NodeMaker::Number(-1), {"abs", "pow", "sum", "pow"}}};
  for (const char* op : {"norm", "linalg_vector_norm"})
    for (const Row& r : rows) {
      record::Graph graph;
      graph.nodes = {NodeOf(Node(op, {T("x0"), nullptr, {{"l", {1}}}, {{"s", false}}}, "y", {6}))};
      graph.nodes[0].args[1] = r.order;
      graph.outputs = {"y"};
      std::vector<std::string> operations;
      for (const record::GraphNode& n : Decomposed(graph, {{"x0", {6, 100}}}).nodes)
        operations.push_back(n.op);
      EXPECT_EQ(operations, r.operations) << op << " " << &r - rows;
    }
}

// Two turns over a list: largest(t) of each tensor, joined by `join`.
PlanTask Folding(const char* join) {
  PlanTask t;
  t.params = {{"x0", false, true, false, "", {base::Dtype::kFloat32}}};
  t.outputs = {{false, {base::Dtype::kFloat32}, "", true}};
  t.folds = true;
  PlanCase c;
  c.shapes["x0"] = {6, 100};
  c.outputs = {{1}};
  Json axes = {{"l", {0, 1}}}, no = {{"s", false}};
  c.graph =
      record::GraphFromJson({{"nodes", Json::array({Node("zeros", {{{"l", {1}}}}, "z", {1}),
                                                    Node("amax", {T("x0.0"), axes, no}, "a", {}),
                                                    Node(join, {T("z"), T("a")}, "b", {1}),
                                                    Node("amax", {T("x0.1"), axes, no}, "c", {}),
                                                    Node(join, {T("b"), T("c")}, "d", {1})})},
                             {"outputs", {"d"}}});
  t.cases = {c};
  return t;
}

TEST(CraftPlan, AListReducedToOneTensorIsOneReduction) {
  auto text = Plan(Folding("maximum"));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  Compiled c = Compile(*text);
  EXPECT_EQ(c.diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("all_max"), std::string::npos);
  EXPECT_NE(text->find("sync_all()"), std::string::npos);
  auto other = Plan(Folding("mul"));
  ASSERT_FALSE(other.ok()) << "a product of largest elements is no reduction of everything";
  EXPECT_NE(other.error().message.find("joined in another way"), std::string::npos);
}

TEST(CraftPlan, EachTensorOfAListIsReducedByAllCores) {
  PlanTask t;
  t.params = {{"x0", false, true, false, "", {base::Dtype::kFloat32}}};
  t.outputs = {{true, {base::Dtype::kFloat32}, "", true}};
  PlanCase c;
  c.shapes["x0"] = {6, 100};
  c.outputs = {{1}};
  c.graph = record::GraphFromJson(
      {{"nodes",
        Json::array({Node("mul", {T("x0.0"), T("x0.0")}, "a", {6, 100}),
                     Node("sum", {T("a"), {{"l", {0, 1}}}, {{"s", false}}, nullptr}, "b", {})})},
       {"outputs", {"b"}}});
  t.cases = {c};
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("sync_all()"), std::string::npos) << *text;
  EXPECT_NE(text->find("store(w0[t * parts + core(), :], part0)"), std::string::npos) << *text;
  EXPECT_NE(text->find("if len(x0) < vector_cores():"), std::string::npos)
      << "of many, a core takes whole ones";
}

TEST(CraftPlan, SegmentsThatReadNothingOfEachOtherDoNotWait) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {base::Dtype::kFloat32}}};
  t.outputs = {{false, {base::Dtype::kFloat32}, "", true},
               {false, {base::Dtype::kFloat32}, "", true}};
  PlanCase c;
  c.shapes["x0"] = {6, 100};
  c.outputs = {{6, 100}, {6}};
  c.graph =
      record::GraphFromJson({{"nodes", Json::array({Node("mul", {T("x0"), T("x0")}, "a", {6, 100}),
                                                    Node("zeros", {{{"l", {6}}}}, "z", {6})})},
                             {"outputs", {"a", "z"}}});
  t.cases = {c};
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(text->find("sync_all"), std::string::npos) << *text;
}

TEST(CraftPlan, UnusedValuesDoNotMatter) {
  PlanTask a = RowNorm({6, 100}), b = a;
  auto& nodes = b.cases[0].graph.nodes;
  nodes.insert(nodes.begin(), NodeOf(Node("fft", Json::array({T("x0")}), "unused", {6, 100})));
  ASSERT_TRUE(Plan(b).ok());
  EXPECT_EQ(*Plan(a), *Plan(b));
}

PlanTask OneResult(std::map<std::string, std::vector<int64_t>> inputs, Json nodes,
                   const char* result, std::vector<int64_t> shape) {
  PlanTask t;
  PlanCase c;
  for (const auto& [id, s] : inputs) {
    t.params.push_back({id, false, false, false, "", {base::Dtype::kFloat32}});
    c.shapes[id] = s;
  }
  t.outputs = {{false, {base::Dtype::kFloat32}, "", true}};
  c.outputs = {shape};
  c.graph = record::GraphFromJson({{"nodes", std::move(nodes)}, {"outputs", {result}}});
  t.cases = {c};
  return t;
}

// What a compound operation does is the same program as its simple ones.
TEST(CraftPlan, CompoundOperationsAreSpelledOut) {
  auto a = Plan(OneResult(
      {{"x0", {6, 100}}},
      Json::array({Node("leaky_relu", {T("x0"), {{"s", 0.25}}}, "r", {6, 100})}), "r", {6, 100}));
  Json gt = Node("gt", {T("x0"), {{"s", 0.0}}}, "c", {6, 100});
  gt["out"][0]["dtype"] = "Bool";
  auto b = Plan(OneResult({{"x0", {6, 100}}},
                          Json::array({gt, Node("mul", {T("x0"), {{"s", 0.25}}}, "m", {6, 100}),
                                       Node("where", {T("c"), T("x0"), T("m")}, "r", {6, 100})}),
                          "r", {6, 100}));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(*a, *b);
}

TEST(CraftPlan, TensorsThatAreConstantsAreNumbers) {
  auto text = Plan(OneResult({{"x0", {40}}},
                             Json::array({Node("tensor", {{{"s", 0.75}}, {{"s", 7}}}, "k", {}),
                                          Node("mul", {T("x0"), T("k")}, "r", {40})}),
                             "r", {40}));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_NE(text->find("x0_ub * 0.75"), std::string::npos) << *text;
}

// The middle of three equal dimensions is no row: a sum along it must not become one along the
// last.
TEST(CraftPlan, AReductionRunsOverItsOwnDimensions) {
  auto along = [](int64_t dim) {
    return Plan(OneResult(
        {{"x0", {8, 8, 8}}},
        Json::array({Node("sum", {T("x0"), {{"l", {dim}}}, {{"s", false}}, nullptr}, "r", {8, 8})}),
        "r", {8, 8}));
  };
  ASSERT_TRUE(along(2).ok() && along(1).ok());
  EXPECT_NE(along(2)->find("row_sum"), std::string::npos);
  EXPECT_EQ(along(1)->find("row_sum"), std::string::npos) << *along(1);
}

// A sum over the dimension before the last, that is no matter of rows: a nest of loops.
TEST(CraftPlan, NamesInANestAreThoseOfTheGraph) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {base::Dtype::kFloat32}}};
  t.outputs = {{false, {base::Dtype::kFloat32}, "", true}};
  PlanCase c;
  c.shapes["x0"] = {3, 5, 40};
  c.graph = record::GraphFromJson(
      {{"nodes",
        Json::array({Node("exp", Json::array({T("x0")}), "a", {3, 5, 40}),
                     Node("mean", {T("a"), {{"l", {1}}}, {{"s", false}}, nullptr}, "b", {3, 40}),
                     Node("neg", Json::array({T("b")}), "c", {3, 40})})},
       {"outputs", {"c"}}});
  t.cases = {c};
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  for (const char* line : {"v0 = exp(", "v1 = v1a / float", "v2 = -v1"})
    EXPECT_NE(text->find(line), std::string::npos) << line << "\n" << *text;
}

// Tiles of a nest have several rows where a tensor's rows lie one behind the other, and one where
// they do not.
TEST(CraftPlan, TilesOfNestsHaveRows) {
  auto sum = [](Json of) {
    return Node("sum", {of, {{"l", {1}}}, {{"s", false}}, nullptr}, "r", {8, 12});
  };
  auto text = Plan(OneResult({{"x0", {8, 50, 12}}}, Json::array({sum(T("x0"))}), "r", {8, 12}));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("col_sum"), std::string::npos) << *text;
  EXPECT_NE(text->find("for d, n in tiles(0, e1, rows0)"), std::string::npos) << *text;
  auto across = Plan(
      OneResult({{"x0", {8, 12, 50}}},
                Json::array({Node("transpose", {T("x0"), {{"s", 1}}, {{"s", 2}}}, "t", {8, 50, 12}),
                             sum(T("t"))}),
                "r", {8, 12}));
  ASSERT_TRUE(across.ok()) << across.error().ToString();
  EXPECT_EQ(across->find("col_sum"), std::string::npos) << *across;
}

// Where a lane has no elements there is nothing to do, and nothing to divide by.
TEST(CraftPlan, ExtentsMayBeZero) {
  Json sum = Node("sum", {T("x0"), {{"l", {1}}}, {{"s", false}}, nullptr}, "r", {8, 12});
  auto text = Plan(OneResult({{"x0", {8, 50, 12}}}, Json::array({sum}), "r", {8, 12}));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  Compiled c = Compile(*text);
  ASSERT_EQ(c.diagnostics.Render("plan", *text), "");
  for (std::vector<int64_t> shape : {std::vector<int64_t>{8, 50, 0}, {8, 0, 12}, {0, 50, 12}}) {
    auto out = Interpret(c.programs[0], c.lowered[0],
                         {{{"x0", {Tensor{base::Dtype::kFloat32, shape, {}}}}}, {}, {}});
    ASSERT_TRUE(out.ok()) << out.error().ToString() << *text;
    EXPECT_EQ(out->tensors[0][0].bytes.size(), static_cast<size_t>(shape[0] * shape[2] * 4));
  }
}

// What rows take of UB decides on the kernel: rows that are too long for the one that goes over
// whole rows may be a case's or a caller's.
TEST(CraftPlan, LongRowsAreANestBesideTheKernelForRows) {
  auto shares = [](std::vector<std::vector<int64_t>> shapes) {
    PlanTask t;
    for (const auto& shape : shapes) {
      int64_t rows = shape[0], cols = shape[1];
      PlanTask one = OneResult(
          {{"x0", shape}},
          Json::array({Node("sum", {T("x0"), {{"l", {1}}}, {{"s", true}}, nullptr}, "a", {rows, 1}),
                       Node("div", {T("x0"), T("a")}, "b", shape),
                       Node("sum", {T("b"), {{"l", {0}}}, {{"s", false}}, nullptr}, "r", {cols})}),
          "r", {cols});
      one.cases.insert(one.cases.begin(), t.cases.begin(), t.cases.end());
      t = one;
    }
    return Plan(t);
  };
  auto both = shares({{6, 100}, {4, 60000}}), fits = shares({{6, 100}}),
       longer = shares({{4, 60000}});
  ASSERT_TRUE(both.ok() && fits.ok() && longer.ok()) << both.error().ToString();
  EXPECT_EQ(Compile(*both).diagnostics.Render("plan", *both), "");
  EXPECT_NE(both->find("    if cols <= "), std::string::npos) << *both;
  EXPECT_LT(both->find("        kernel0["), both->find("        nest0[")) << *both;
  EXPECT_LT(fits->find("        kernel0["), fits->find("        nest0[")) << *fits;
  EXPECT_EQ(longer->find("if cols"), std::string::npos) << *longer;
}

// Cases of one kernel may differ in what makes good tiles: its extents hold in all of them.
TEST(CraftPlan, RowsOfTilesDoNotTellCasesApart) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {base::Dtype::kFloat32}},
              {"a0", true, false, false, "int", {}}};
  t.outputs = {{false, {base::Dtype::kFloat32}, "", true}};
  for (int64_t dim : {1, 2}) {
    std::vector<int64_t> whole = {32, 32, 768}, half = whole;
    half[static_cast<size_t>(dim)] /= 2;
    PlanCase c;
    c.shapes["x0"] = whole;
    c.attrs["a0"] = dim;
    c.outputs = {half};
    Json parts =
        Node("chunk", {T("x0"), {{"s", 2}}, {{"s", {{"attr", "a0"}, {"value", dim}}}}}, "p", half);
    parts["out"].push_back({{"id", "q"}, {"shape", half}, {"dtype", "Double"}});
    c.graph = record::GraphFromJson(
        {{"nodes", Json::array({parts, Node("mul", {T("p"), T("q")}, "r", half)})},
         {"outputs", {"r"}}});
    t.cases.push_back(c);
  }
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("e0_0 = prod(x0.shape[:a0])"), std::string::npos) << *text;
  EXPECT_NE(text->find("rows0"), std::string::npos) << *text;
}

// A number for each row, added up over all cores.
// mean((x - mean(x))^2): the second reduction over everything waits for the first one.
TEST(CraftPlan, AReductionOverEverythingThatWaitsForAnother) {
  PlanTask t = RowNorm({300});
  t.cases[0].graph = record::GraphFromJson(
      {{"nodes", Json::array({Node("mean", {T("x0"), nullptr}, "a", {}),
                              Node("sub", {T("x0"), T("a"), {{"s", 1}}}, "b", {300}),
                              Node("mul", {T("b"), T("b")}, "c", {300}),
                              Node("mean", {T("c"), nullptr}, "d", {})})},
       {"outputs", {"d"}}});
  t.cases[0].outputs = {{}};
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  Compiled compiled = Compile(*text);
  EXPECT_EQ(compiled.diagnostics.Render("plan", *text), "");
  size_t load = text->find("load(x0");
  EXPECT_NE(text->find("load(x0", load + 1), std::string::npos)
      << "every element is read again once the first one is known\n"
      << *text;
}

TEST(CraftPlan, NumbersOfRowsAreAddedUp) {
  auto text =
      Plan(OneResult({{"x0", {6, 100}}},
                     Json::array({Node("amax", {T("x0"), {{"l", {1}}}, {{"s", false}}}, "m", {6}),
                                  Node("mean", {T("m"), nullptr}, "r", {})}),
                     "r", {}));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("row_max"), std::string::npos);
  EXPECT_NE(text->find("float(rows)"), std::string::npos) << *text;
}

PlanTask Running(const char* op, std::vector<int64_t> shape, Json args) {
  args.insert(args.begin(), T("x0"));
  return OneResult({{"x0", shape}}, Json::array({Node(op, args, "r", shape)}), "r", shape);
}

TEST(CraftPlan, ElementsOfARowChangePlaces) {
  auto turned = Plan(Running("flip", {6, 4, 10}, Json::array({{{"l", {2}}}})));
  ASSERT_TRUE(turned.ok()) << turned.error().ToString();
  EXPECT_NE(turned->find("row_gather"), std::string::npos);
  // Rows in another order are walked from the last, however long they are.
  auto rows = Plan(Running("flip", {6, 4, 10}, Json::array({{{"l", {1}}}})));
  ASSERT_TRUE(rows.ok()) << rows.error().ToString();
  EXPECT_EQ(rows->find("row_gather"), std::string::npos);
  EXPECT_NE(rows->find(" - 1 + "), std::string::npos) << *rows;
  EXPECT_NE(rows->find(" * (-1)"), std::string::npos) << *rows;
  auto planes = Plan(Running("flip", {6, 4, 10}, Json::array({{{"l", {1, 2}}}})));
  ASSERT_TRUE(planes.ok()) << planes.error().ToString();
  EXPECT_NE(planes->find("row_gather"), std::string::npos);
  EXPECT_NE(planes->find(" * (-1)"), std::string::npos) << *planes;
  auto sums = Plan(Running("cumsum", {6, 10}, Json::array({{{"s", 1}}})));
  ASSERT_TRUE(sums.ok()) << sums.error().ToString();
  EXPECT_NE(sums->find("row_cumsum"), std::string::npos);
  auto changed = Running("flip", {6, 4, 10}, Json::array({{{"l", {1}}}}));
  changed.cases[0].graph.nodes.push_back(NodeOf(Node("copy_", {T("r"), T("x0")}, "c", {6, 4, 10})));
  EXPECT_FALSE(Plan(changed).ok()) << "what is written into a value later may not be lost";
  auto columns = Plan(Running("cumsum", {6, 10}, Json::array({{{"s", 0}}})));
  ASSERT_TRUE(columns.ok()) << columns.error().ToString();
  EXPECT_NE(columns->find("@kernel", columns->find("row_cumsum")), std::string::npos)
      << "turned before and behind";
}

TEST(CraftPlan, WindowsTellTheHostHowManyThereAre) {
  Json args = {T("x0"), {{"l", {3}}}, {{"l", {2}}}, {{"l", {1}}}, {{"s", false}}, {{"s", true}}};
  auto text =
      Plan(OneResult({{"x0", {6, 4, 10}}}, Json::array({Node("avg_pool1d", args, "r", {6, 4, 5})}),
                     "r", {6, 4, 5}));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("(s0 + (-1)) // 2 + 1"), std::string::npos) << *text;
  EXPECT_NE(text->find("row_window_sum(x0_ub, 1, s0, 1, o1, 3, 2, 1, 1)"), std::string::npos)
      << *text;
  args[4]["s"] = true;
  EXPECT_FALSE(
      Plan(OneResult({{"x0", {6, 4, 10}}}, Json::array({Node("avg_pool1d", args, "r", {6, 4, 5})}),
                     "r", {6, 4, 5}))
          .ok())
      << "windows that leave the padding";
}

// Which dimension is meant only the kernel sees.
TEST(CraftPlan, ADimensionThatAnElementNames) {
  PlanTask t;
  for (const char* id : {"x0", "x1", "x2"})
    t.params.push_back({id,
                        false,
                        false,
                        false,
                        "",
                        {id[1] == '0' ? base::Dtype::kFloat16 : base::Dtype::kInt64}});
  t.outputs = {{false, {base::Dtype::kFloat16}, "", true}};
  for (int64_t dim : {0, 1}) {
    PlanCase c;
    c.shapes = {{"x0", {6, 10}}, {"x1", {4}}, {"x2", {1}}};
    std::vector<int64_t> out = dim == 0 ? std::vector<int64_t>{4, 10} : std::vector<int64_t>{6, 4};
    c.outputs = {out};
    Json which = {{"s", {{"item", "x2"}, {"value", dim}}}};
    c.graph = record::GraphFromJson(
        {{"nodes", Json::array({Node("index_select", {T("x0"), which, T("x1")}, "r", out)})},
         {"outputs", {"r"}}});
    t.cases.push_back(c);
  }
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("x0_named = item(x2[0])"), std::string::npos) << *text;
}

// A value spread over a shape that no input has: the caller says how large.
TEST(CraftPlan, ExtentsOfOutputsAreTheCallers) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {base::Dtype::kFloat32}}};
  t.outputs = {{false, {base::Dtype::kFloat32}, "", true}};
  for (std::vector<int64_t> shape : {std::vector<int64_t>{40, 7}, {9}, {3, 5, 50}}) {
    PlanCase c;
    c.shapes["x0"] = {1};
    c.outputs = {shape};
    c.graph = record::GraphFromJson(
        {{"nodes",
          Json::array({Node("expand", {T("x0"), {{"l", shape}}, {{"s", false}}}, "a", shape)})},
         {"outputs", {"a"}}});
    t.cases.push_back(c);
  }
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("empty(given"), std::string::npos) << *text;
}

// Of each tensor of a list the entries from item(x1[2 t]) on, as many as item(x1[2 t + 1]) says,
// become those of x2[t]; if item(x3[t]) says so.
PlanTask Replacing(bool asks) {
  PlanTask t;
  t.params = {{"x0", false, true, false, "", {base::Dtype::kFloat16}},
              {"x1", false, false, false, "", {base::Dtype::kInt64}},
              {"x2", false, false, false, "", {base::Dtype::kFloat16}},
              {"x3", false, false, true, "", {base::Dtype::kUint8}},
              {"a0", true, false, false, "int", {}}};
  t.outputs = {{true, {base::Dtype::kFloat16}, "x0", true}};
  Json turn = {{"turn", 0}, {"value", 0}}, at = {{"op", "mul"}, {"args", {turn, 2}}, {"value", 0}},
       behind = {{"op", "add"}, {"args", {at, 1}}, {"value", 1}};
  Json start = {{"s", {{"item", "x1"}, {"index", at}, {"value", 3}}}},
       length = {{"s", {{"item", "x1"}, {"index", behind}, {"value", 5}}}},
       dim = {{"s", {{"attr", "a0"}, {"value", -1}}}};
  PlanCase c;
  c.shapes = {{"x0", {4, 20}}, {"x1", {2, 2}}, {"x2", {2, 4, 20}}, {"x3", {2}}};
  c.attrs["a0"] = -1;
  c.outputs = {{4, 20}};
  c.graph = record::GraphFromJson(
      {{"nodes", Json::array({Node("clone", {T("x0.0"), nullptr}, "a", {4, 20}),
                              Node("narrow", {T("a"), dim, start, length}, "b", {4, 5}),
                              Node("select", {T("x2"), {{"s", 0}}, {{"s", turn}}}, "c", {4, 20}),
                              Node("narrow", {T("c"), dim, {{"s", 0}}, length}, "d", {4, 5}),
                              Node("copy_", {T("b"), T("d"), {{"s", false}}}, "e", {4, 5})})},
       {"outputs", {"a"}}});
  PlanCase idle = c;
  idle.graph.nodes = {c.graph.nodes[0]};
  if (asks)
    for (auto [one, answer] : {std::pair{&c, true}, {&idle, false}})
      one->graph.asked = {record::GraphNumberFromJson(
          {{"op", "Bool"},
           {"args", {{{"item", "x3"}, {"index", turn}, {"value", answer ? 1 : 0}}}},
           {"value", answer}})};
  t.cases = {c, idle};
  return t;
}

TEST(CraftPlan, APartOfEachTensorOfAListThatElementsName) {
  auto text = Plan(Replacing(true));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  Compiled c = Compile(*text);
  EXPECT_EQ(c.diagnostics.Render("plan", *text), "");
  EXPECT_NE(text->find("if item(x3[t]) != 0:"), std::string::npos) << *text;
  EXPECT_NE(text->find("to = item(x1[(t * 2)])"), std::string::npos) << *text;
  auto other = Plan(Replacing(false));
  ASSERT_FALSE(other.ok()) << "nobody can say why the second case does nothing";
  EXPECT_NE(other.error().message.find("cases that do nothing"), std::string::npos)
      << other.error().message;
  PlanTask shorter = Replacing(true);
  shorter.cases[0].shapes["x2"] = {2, 4, 18};
  EXPECT_FALSE(Plan(shorter).ok()) << "the kernel would not know the shape of the list's tensors";
}

TEST(CraftPlan, UnknownOperationsAreRefusedByName) {
  PlanTask t = RowNorm({6, 100});
  t.cases[0].graph.nodes[0].op = "fft";
  auto text = Plan(t);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, "AK1540");
  EXPECT_NE(text.error().message.find("fft"), std::string::npos);
}

// The parts of complex numbers are told apart where they are computed with, and lie as they did
// when they are stored.
TEST(CraftPlan, ComplexNumbersAreLoadedAsTheyLie) {
  PlanTask t;
  const std::vector<base::Dtype> complex = {base::Dtype::kComplex64};
  t.params = {{"x0", false, false, false, "", complex}, {"x1", false, false, false, "", complex}};
  t.outputs = {{false, complex, "", true}};
  PlanCase c;
  c.shapes["x0"] = c.shapes["x1"] = {100};
  c.outputs = {{100}};
  c.graph = record::GraphFromJson(
      {{"nodes", Json::array({Node("mul", {T("x0"), T("x1")}, "a", {100})})}, {"outputs", {"a"}}});
  t.cases = {c};
  auto text = Plan(t);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  EXPECT_EQ(text->find("sync_all"), std::string::npos) << *text;
  auto times = [&](const char* what) {
    size_t n = 0;
    for (size_t at = text->find(what); at != std::string::npos; at = text->find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(times("load("), 2U) << *text;
  EXPECT_EQ(times("store("), 1U) << *text;
}

// Rules are about operations of tensors, never about operators of the benchmark.
TEST(CraftPlan, NoOperatorNameInTheRules) {
  namespace fs = std::filesystem;
  std::string rules;
  for (const auto& f : fs::directory_iterator(fs::path(AKGEN_SOURCE_DIR) / "src/craft/plan"))
    rules += *base::ReadFile(f.path());
  int names = 0;
  for (const auto& f : fs::recursive_directory_iterator(fs::path(AKGEN_SOURCE_DIR) / "tasks")) {
    if (f.path().filename() != "task.toml") continue;
    std::string name = f.path().parent_path().filename();
    ++names;
    // Names that are words of arithmetic or of this code (Equal, Less, Fill, Neg, …) say nothing.
    if (name.size() >= 7) EXPECT_EQ(rules.find(name), std::string::npos) << name;
  }
  EXPECT_GT(names, 100);
}

}  // namespace
}  // namespace akgen::craft
