// The planner: convolutions and pooling over windows, and what becomes launches because no rule
// takes it whole.
#include <gtest/gtest.h>

#include "craft/craft.h"
#include "craft/plan/plan.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {
using base::Json;
using Shape = std::vector<int64_t>;

Json Of(const char* id) { return {{"t", id}}; }
Json ListOf(const Shape& numbers) { return {{"l", numbers}}; }
Json NumberOf(const Json& number) { return {{"s", number}}; }
Json ResultOf(const char* op, Json args, const char* id, const Shape& shape,
              const char* dtype = "Double") {
  return {{"op", op},
          {"args", args},
          {"out", Json::array({{{"id", id}, {"shape", shape}, {"dtype", dtype}}})}};
}
PlanTask WindowsTask(const std::map<std::string, Shape>& inputs, Json nodes, const char* result,
                     const Shape& shape) {
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
std::string Planned(const PlanTask& task) {
  auto text = Plan(task);
  if (!text.ok()) return "refused: " + text.error().message;
  EXPECT_EQ(Compile(*text).diagnostics.Render("plan", *text), "");
  return *text;
}
Json Convolution(const char* op, const Shape& padding, int64_t groups) {
  return {Of("x0"),        Of("x1"),       nullptr,         ListOf({1, 1}),
          ListOf(padding), ListOf({1, 1}), NumberOf(groups)};
}

TEST(CraftPlanWindows, ChannelsByThemselvesAreNoProduct) {
  const std::string text = Planned(
      WindowsTask({{"x0", {2, 4, 9, 10}}, {"x1", {4, 1, 3, 3}}},
                  Json::array({ResultOf("conv2d", Convolution("", {0, 0}, 4), "r", {2, 4, 7, 8})}),
                  "r", {2, 4, 7, 8}));
  EXPECT_NE(text.find("for i"), std::string::npos) << text;
  EXPECT_EQ(text.find(" @ "), std::string::npos) << text;
  EXPECT_EQ(text.find("workspace"), std::string::npos) << "nothing is laid side by side\n" << text;
}

TEST(CraftPlanWindows, GroupsAreABatchOfProducts) {
  const std::string text = Planned(
      WindowsTask({{"x0", {2, 4, 9, 10}}, {"x1", {6, 2, 3, 3}}},
                  Json::array({ResultOf("conv2d", Convolution("", {1, 1}, 2), "r", {2, 6, 9, 10})}),
                  "r", {2, 6, 9, 10}));
  EXPECT_NE(text.find("over=[batch]"), std::string::npos) << text;
}

TEST(CraftPlanWindows, ATransposedConvolutionMultipliesEachElementOnce) {
  Json args = {Of("x0"),       Of("x1"),       nullptr,     ListOf({2, 2}),
               ListOf({1, 1}), ListOf({1, 1}), NumberOf(1), ListOf({1, 1})};
  const std::string text = Planned(WindowsTask(
      {{"x0", {2, 4, 5, 6}}, {"x1", {4, 8, 3, 3}}},
      Json::array({ResultOf("conv_transpose2d", args, "r", {2, 8, 10, 12})}), "r", {2, 8, 10, 12}));
  EXPECT_NE(text.find(".T @ "), std::string::npos) << "weights as they lie\n" << text;
}

TEST(CraftPlanWindows, PoolingOfRowsThatDoNotFitReadsWindows) {
  Json args = {Of("x0"),          ListOf({2, 2, 2}), ListOf({2, 2, 2}),
               ListOf({0, 0, 0}), ListOf({1, 1, 1}), NumberOf(false)};
  const std::string text =
      Planned(WindowsTask({{"x0", {2, 3, 64, 64, 64}}},
                          Json::array({ResultOf("max_pool3d", args, "r", {2, 3, 32, 32, 32})}), "r",
                          {2, 3, 32, 32, 32}));
  EXPECT_NE(text.find("maximum("), std::string::npos) << text;
  EXPECT_EQ(text.find("row_window"), std::string::npos) << text;
}

// Pooling and a sum over channels: neither rule takes both.
TEST(CraftPlanWindows, WhatNoRuleTakesWholeIsSeveralLaunches) {
  Json pool = {Of("x0"), ListOf({2}), ListOf({2}), ListOf({0}), ListOf({1}), NumberOf(false)};
  const std::string text = Planned(WindowsTask(
      {{"x0", {4, 6, 10}}},
      Json::array({ResultOf("max_pool1d", pool, "p", {4, 6, 5}),
                   ResultOf("sum", {Of("p"), ListOf({1}), NumberOf(false), nullptr}, "r", {4, 5})}),
      "r", {4, 5}));
  EXPECT_NE(text.find("row_window_max"), std::string::npos) << text;
  EXPECT_NE(text.find("part2("), std::string::npos) << text;
  EXPECT_NE(text.find("best_cores()"), std::string::npos) << "no product: all launches choose\n"
                                                          << text;
}

// Operations that choose, order or repeat elements: planned as simpler ones.
TEST(CraftPlanWindows, OrderAndPlacesAreSimplerOperations) {
  struct Row {
    const char* op;
    std::map<std::string, Shape> inputs;
    Json args;
    Shape out;
    bool places = false;  // a second result, of integers
  };
  const Json no = NumberOf(false), yes = NumberOf(true), last = NumberOf(-1), none = nullptr;
  const std::map<std::string, Shape> matrix = {{"x0", {6, 40}}}, image = {{"x0", {2, 8, 6, 10}}};
  const std::vector<Row> rows = {
      {"sort", matrix, {Of("x0"), last, yes}, {6, 40}, true},
      {"sort", matrix, {Of("x0"), yes, NumberOf(0), no}, {6, 40}, true},
      {"topk", matrix, {Of("x0"), NumberOf(20), last, yes, yes}, {6, 20}, true},
      {"kthvalue", matrix, {Of("x0"), NumberOf(3), last, no}, {6}, true},
      {"median", matrix, {Of("x0"), last, yes}, {6, 1}, true},
      {"diagonal", {{"x0", {4, 7, 9}}}, {Of("x0"), NumberOf(1), NumberOf(1), NumberOf(2)}, {4, 7}},
      {"unfold", matrix, {Of("x0"), last, NumberOf(8), NumberOf(4)}, {6, 9, 8}},
      {"im2col",
       image,
       {Of("x0"), ListOf({2, 2}), ListOf({1, 1}), ListOf({1, 0}), ListOf({2, 2})},
       {2, 32, 20}},
      {"upsample_nearest2d", image, {Of("x0"), none, ListOf({2, 3})}, {2, 8, 12, 30}},
      {"upsample_bilinear2d", image, {Of("x0"), none, no, ListOf({2, 2})}, {2, 8, 12, 20}},
      {"pixel_shuffle", image, {Of("x0"), NumberOf(2)}, {2, 2, 12, 20}},
      {"pixel_unshuffle", image, {Of("x0"), NumberOf(2)}, {2, 32, 3, 5}},
      {"cdist",
       {{"x0", {5, 16}}, {"x1", {7, 16}}},
       {Of("x0"), Of("x1"), NumberOf(2.0), none},
       {5, 7}},
      {"scatter_add",
       {{"x0", {6, 40}}, {"x1", {6, 9}}, {"x2", {6, 9}}},
       {Of("x0"), NumberOf(1), Of("x1"), Of("x2")},
       {6, 40}},
      {"logcumsumexp", matrix, {Of("x0"), last}, {6, 40}},
      {"cummax", matrix, {Of("x0"), last}, {6, 40}, true},
  };
  for (const Row& r : rows) {
    Json node = ResultOf(r.op, r.args, "r", r.out);
    if (r.places) node["out"].push_back({{"id", "p"}, {"shape", r.out}, {"dtype", "Long"}});
    const std::string text = Planned(WindowsTask(r.inputs, Json::array({node}), "r", r.out));
    EXPECT_EQ(text.find("refused"), std::string::npos) << r.op << ": " << text;
  }
}

TEST(CraftPlanWindows, OfAnOrderOfWhichFewAreTakenNoMoreIsMade) {
  Json node =
      ResultOf("sort", {Of("x0"), NumberOf(true), NumberOf(-1), NumberOf(true)}, "s", {6, 40});
  node["out"].push_back({{"id", "p"}, {"shape", Shape{6, 40}}, {"dtype", "Long"}});
  auto planned = [&](int64_t count) {
    Json slice = {Of("s"), NumberOf(1), NumberOf(0), NumberOf(count), NumberOf(1)};
    return Planned(WindowsTask({{"x0", {6, 40}}},
                               Json::array({node, ResultOf("slice", slice, "r", {6, count})}), "r",
                               {6, count}));
  };
  EXPECT_NE(planned(2).find("row_max"), std::string::npos) << "one after the other\n" << planned(2);
  EXPECT_EQ(planned(20).find("row_max"), std::string::npos) << planned(20);
}

// 64 elements of a row are four of 16: what softmax runs along is not the row of the input.
TEST(CraftPlanWindows, SoftmaxOfAViewRunsAlongTheView) {
  const std::string text = Planned(WindowsTask(
      {{"x0", {8, 64}}},
      Json::array({ResultOf("view", {Of("x0"), ListOf({8, 4, 16})}, "v", {8, 4, 16}),
                   ResultOf("softmax", {Of("v"), NumberOf(-1), nullptr}, "s", {8, 4, 16}),
                   ResultOf("view", {Of("s"), ListOf({8, 64})}, "r", {8, 64})}),
      "r", {8, 64}));
  EXPECT_EQ(text.find("cols = x0.shape[-1]"), std::string::npos) << text;
  EXPECT_NE(text.find("row_max"), std::string::npos) << text;
}

TEST(CraftPlanWindows, ARefusalNamesTheOperationAlone) {
  auto text = Plan(WindowsTask({{"x0", {4, 10}}},
                               Json::array({ResultOf("exp", Json::array({Of("x0")}), "e", {4, 10}),
                                            ResultOf("svd", Json::array({Of("e")}), "s", {4, 10}),
                                            ResultOf("abs", Json::array({Of("s")}), "r", {4, 10})}),
                               "r", {4, 10}));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message.find("no rule: alone, the operation svd: "), 0u)
      << text.error().message;
}

// A number that is read from a tensor decides what is done: every kernel asks for its own answer.
TEST(CraftPlanWindows, WhereAnElementDecidesOneOfAllKernelsActs) {
  PlanTask task =
      WindowsTask({{"x0", {40}}, {"x1", {1}}},
                  Json::array({ResultOf("floor", Json::array({Of("x0")}), "r", {40})}), "r", {40});
  PlanCase other = task.cases[0];
  auto asked = [](int64_t answer) {
    record::GraphNumber n = record::GraphNumber::Of(record::GraphNumber::From::kElement, "x1");
    n.value = answer;
    return n;
  };
  other.graph.nodes[0].op = "ceil";
  task.cases[0].graph.asked = {asked(2)}, other.graph.asked = {asked(3)};
  task.cases.push_back(other);
  const std::string text = Planned(task);
  EXPECT_NE(text.find("if item(x1[0]) == 2:"), std::string::npos) << text;
  EXPECT_NE(text.find("if item(x1[0]) == 3:"), std::string::npos) << text;
  EXPECT_NE(text.find("    kernel1["), std::string::npos) << "both are launched\n" << text;
}

// Nine columns beside each other that are seen as a matrix of three rows: part 5 is row 1,
// column 2.
TEST(CraftPlanWindows, PartsSeenAsSeveralDimensionsLieWhereTheyLay) {
  Json nodes = Json::array(), parts = Json::array();
  for (int i = 0; i < 9; ++i) {
    const std::string id = "c" + std::to_string(i);
    nodes.push_back(ResultOf("mul", {Of("x0"), NumberOf(i + 0.5)}, id.c_str(), {10, 1}));
    parts.push_back(Of(id.c_str()));
  }
  nodes.push_back(ResultOf("cat", {{{"l", parts}}, NumberOf(1)}, "all", {10, 9}));
  nodes.push_back(ResultOf("reshape", {Of("all"), ListOf({10, 3, 3})}, "r", {10, 3, 3}));
  const std::string text = Planned(WindowsTask({{"x0", {10, 1}}}, nodes, "r", {10, 3, 3}));
  for (const char* place : {"(0 // e2)", "(5 // e2)", " 5 % e2", " 8 % e2"})
    EXPECT_NE(text.find(place), std::string::npos) << place << "\n" << text;
}

// The first state of a recurrent layer: as many rows as the input has, of a length that the graph
// alone says.
TEST(CraftPlanWindows, AnExtentMayBeANumberOfTheGraph) {
  const Json rows = {{"op", "size"}, {"args", {Of("x0"), 1}}, {"value", 2}};
  PlanTask task = WindowsTask(
      {{"x0", {5, 2}}},
      Json::array({ResultOf("zeros", {{{"l", {1, rows, 35}}}, nullptr}, "r", {1, 2, 35})}), "r",
      {1, 2, 35});
  task.outputs[0].from_caller = false;
  const std::string text = Planned(task);
  EXPECT_NE(text.find(" * 35"), std::string::npos) << text;
}

// float32 holds few integers: sums of them and remainders are integers in kernels, too.
TEST(CraftPlanWindows, IntegersStayIntegers) {
  PlanTask task = WindowsTask(
      {{"x0", {4, 20}}},
      Json::array({ResultOf("sum", {Of("x0"), ListOf({1}), NumberOf(false)}, "s", {4}, "Long"),
                   ResultOf("div", {Of("s"), NumberOf(3), NumberOf("floor")}, "q", {4}, "Long"),
                   ResultOf("remainder", {Of("q"), NumberOf(7)}, "r", {4}, "Long")}),
      "r", {4});
  task.params[0].dtypes = {base::Dtype::kInt32}, task.outputs[0].dtypes = {base::Dtype::kInt64};
  const std::string text = Planned(task);
  for (const char* part : {"dtype=i64)", "row_sum(cast(v_x0, i64))", " // 3", " % 7"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(CraftPlanWindows, RunningSumsOfIntegersAreMadeInFloat) {
  PlanTask task = WindowsTask(
      {{"x0", {4, 20}}},
      Json::array({ResultOf("cumsum", {Of("x0"), NumberOf(-1), nullptr}, "r", {4, 20}, "Long")}),
      "r", {4, 20});
  task.params[0].dtypes = {base::Dtype::kInt64}, task.outputs[0].dtypes = {base::Dtype::kInt64};
  const std::string text = Planned(task);
  EXPECT_NE(text.find("row_cumsum("), std::string::npos) << text;
}

// What no rule takes together may be taken one by one.
TEST(CraftPlanWindows, OutputsThatShareNothingAreLaunchesOfTheirOwn) {
  PlanTask task = WindowsTask(
      {{"x0", {2, 3, 24}}},
      Json::array({ResultOf("flip", {Of("x0"), ListOf({2})}, "a", {2, 3, 24}),
                   ResultOf("cumsum", {Of("x0"), NumberOf(1), nullptr}, "b", {2, 3, 24})}),
      "a", {2, 3, 24});
  task.outputs.push_back(task.outputs[0]);
  task.cases[0].outputs.push_back({2, 3, 24}), task.cases[0].graph.outputs.push_back("b");
  const std::string text = Planned(task);
  EXPECT_NE(text.find("row_gather("), std::string::npos) << text;
  EXPECT_NE(text.find("row_cumsum("), std::string::npos) << text;
}

TEST(CraftPlanWindows, AnOutputMayBeMadeOfAnother) {
  const Shape shape = {2, 3, 24};
  PlanTask task =
      WindowsTask({{"x0", shape}},
                  Json::array({ResultOf("cumsum", {Of("x0"), NumberOf(1), nullptr}, "a", shape),
                               ResultOf("flip", {Of("a"), ListOf({2})}, "b", shape)}),
                  "a", shape);
  task.outputs.push_back(task.outputs[0]);
  task.cases[0].outputs.push_back(shape), task.cases[0].graph.outputs.push_back("b");
  EXPECT_NE(Planned(task).find("row_gather("), std::string::npos);
}

// A row counted from the end is none before the first.
TEST(CraftPlanWindows, SelectedRowsMayBeCountedFromTheEnd) {
  for (const char* behind : {"exp", "matmul"}) {
    Json last = ResultOf("select", {Of("x0"), NumberOf(1), NumberOf(-2)}, "a", {4, 12});
    Json next = std::string(behind) == "exp"
                    ? ResultOf("exp", Json::array({Of("a")}), "r", {4, 12})
                    : ResultOf("matmul", Json::array({Of("a"), Of("x1")}), "r", {4, 12});
    std::map<std::string, Shape> inputs{{"x0", {4, 6, 12}}};
    if (std::string(behind) == "matmul") inputs["x1"] = {12, 12};
    const std::string text = Planned(WindowsTask(inputs, Json::array({last, next}), "r", {4, 12}));
    EXPECT_EQ(text.find("(-2)"), std::string::npos) << text;
    EXPECT_NE(text.find("- 2)"), std::string::npos) << text;
  }
  const std::string element = Planned(
      WindowsTask({{"x0", {8, 20}}, {"x1", {4}}},
                  Json::array({ResultOf("select", {Of("x1"), NumberOf(0), NumberOf(-1)}, "a", {}),
                               ResultOf("mul", Json::array({Of("x0"), Of("a")}), "r", {8, 20})}),
                  "r", {8, 20}));
  EXPECT_EQ(element.find("[(-1)]"), std::string::npos) << element;
  EXPECT_EQ(element.find("[-1]"), std::string::npos) << element;
}

// NaN is larger than all: among the smallest it comes last.
TEST(CraftPlanWindows, NaNIsNotAmongTheSmallest) {
  for (bool largest : {false, true}) {
    Json top =
        ResultOf("topk", {Of("x0"), NumberOf(2), NumberOf(-1), NumberOf(largest), NumberOf(true)},
                 "v", {4, 2});
    top["out"].push_back({{"id", "r"}, {"shape", {4, 2}}, {"dtype", "Long"}});
    PlanTask task = WindowsTask({{"x0", {4, 20}}}, Json::array({top}), "r", {4, 2});
    task.outputs[0].dtypes = {base::Dtype::kInt64};
    const std::string text = Planned(task);
    EXPECT_EQ(text.find("8388608.0") == std::string::npos, largest) << text;
  }
}

TEST(CraftPlanWindows, PowersOfIntegersKnowOddNumbers) {
  PlanTask task = WindowsTask(
      {{"x0", {40}}, {"x1", {1}}},
      Json::array({ResultOf("pow", {Of("x0"), Of("x1")}, "r", {40}, "Int")}), "r", {40});
  for (PlanParam& p : task.params) p.dtypes = {base::Dtype::kInt32};
  task.outputs[0].dtypes = {base::Dtype::kInt32};
  EXPECT_NE(Planned(task).find(" == -1, 1 - 2 * ("), std::string::npos) << Planned(task);
}
}  // namespace
}  // namespace akgen::craft
