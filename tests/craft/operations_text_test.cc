// The planner's input as text.
#include <gtest/gtest.h>

#include "craft/plan/operations_text.h"

namespace akgen::craft {
namespace {
using base::Dtype;
using base::Json;

Json DescribedNode(const std::string& op, const std::vector<Json>& args, const std::string& out,
                   const std::vector<int64_t>& shape) {
  return {
      {"op", op}, {"args", args}, {"out", {{{"id", out}, {"shape", shape}, {"dtype", "Double"}}}}};
}
Json Named(const std::string& id) { return {{"t", id}}; }

PlanCase RowsCase(int64_t rows, int64_t cols, size_t column, const char* mode) {
  PlanCase c;
  c.column = column;
  c.shapes = {{"x0", {rows, cols}}, {"x1", {cols}}};
  c.attrs = {{"a0", mode}, {"a1", 0.5}};
  Json nodes = {DescribedNode("sin", {Named("x0")}, "unused", {rows, cols}),
                DescribedNode("mul", {Named("x0"), Named("x1")}, "p", {rows, cols})};
  if (mode == std::string("mean"))
    nodes.push_back(
        DescribedNode("mean", {Named("p"), {{"l", {-1}}}, {{"s", true}}, nullptr}, "q", {rows, 1}));
  else
    nodes.push_back(
        DescribedNode("add", {Named("p"), {{"s", {{"attr", "a1"}, {"value", 0.5}}}}, {{"s", 1}}},
                      "q", {rows, cols}));
  c.graph = record::GraphFromJson({{"schema", 1}, {"nodes", nodes}, {"outputs", {"q"}}});
  return c;
}

TEST(OperationsText, SaysWhatTheCasesSay) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {Dtype::kFloat16, Dtype::kFloat32}},
              {"x1", false, false, true, "", {Dtype::kFloat32, Dtype::kFloat32}},
              {"a0", true, false, false, "string", {}},
              {"a1", true, false, false, "float", {}}};
  t.outputs = {{false, {Dtype::kFloat16, Dtype::kFloat32}, "x0", true}};
  t.cases = {RowsCase(3, 8, 0, "mean"), RowsCase(5, 16, 1, "mean"), RowsCase(4, 8, 0, "none")};
  EXPECT_EQ(OperationsText(t),
            "x0: f16|f32 [A, B]\n"
            "x1: optional f32 [B]\n"
            "a0: string, \"mean\", \"none\"\n"
            "a1: float, 0.5\n"
            "when x1, a0 = \"mean\"\n"
            "v0 = x0 * x1\n"
            "v1 = mean(v0, [-1], True) [A, 1]\n"
            "return v1: f16|f32 [A, 1] in x0\n"
            "when x1, a0 = \"none\"\n"
            "v0 = x0 * x1\n"
            "v1 = v0 + a1\n"
            "return v1: f16|f32 [A, B] in x0\n");
}

TEST(OperationsText, ShowsEachGraphAtTheRankOfTheInputs) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {Dtype::kFloat32}},
              {"a0", true, false, false, "string", {}}};
  t.outputs = {{false, {Dtype::kFloat32}, "", true}};
  auto add = [&](const char* op, const std::vector<int64_t>& shape, const char* mode) {
    PlanCase c;
    c.shapes = {{"x0", shape}};
    c.attrs = {{"a0", mode}};
    c.graph = record::GraphFromJson({{"schema", 1},
                                     {"nodes", {DescribedNode(op, {Named("x0")}, "v", shape)}},
                                     {"outputs", {"v"}}});
    t.cases.push_back(c);
  };
  add("exp", {3, 8}, "mean");
  add("tanh", {2, 4, 5}, "none");
  add("tanh", {6, 9}, "none");
  EXPECT_EQ(OperationsText(t),
            "x0: f32 [A, B]\na0: string, \"mean\", \"none\"\nwhen a0 = \"mean\"\nv0 = "
            "exp(x0)\nreturn v0: f32 [A, "
            "B]\nwhen a0 = \"none\"\nv0 = tanh(x0)\nreturn v0: f32 [A, B]\n");
  t.cases.pop_back();
  EXPECT_NE(OperationsText(t).find("v0 = tanh(x0)\nreturn v0: f32 [A, B, C]\n"), std::string::npos);
}

TEST(OperationsText, SaysWhereAResultLiesAndWhatItIsDividedBy) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {Dtype::kFloat32}}};
  t.outputs = {{false, {Dtype::kFloat32}, "x0", false}};
  PlanCase c;
  c.shapes = {{"x0", {4, 7}}};
  c.graph = record::GraphFromJson(
      {{"schema", 1},
       {"nodes",
        {DescribedNode(
            "div",
            {Named("x0"), {{"s", {{"op", "size"}, {"args", {Named("x0"), -1}}, {"value", 7}}}}},
            "v", {4, 7})}},
       {"outputs", {"v"}}});
  t.cases.push_back(c);
  EXPECT_EQ(OperationsText(t),
            "x0: f32 [A, B]\nv0 = x0 / size(x0, -1)\nreturn v0: f32 [A, B] over x0\n");
}

TEST(OperationsText, AMultipleOfAnExtentIsSaid) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {Dtype::kFloat32}}};
  t.outputs = {{false, {Dtype::kFloat32}, "", true}};
  for (int64_t n : {4, 6}) {
    PlanCase c;
    c.shapes = {{"x0", {n, 7}}};
    c.graph = record::GraphFromJson(
        {{"schema", 1},
         {"nodes",
          {DescribedNode("cat", {{{"l", {Named("x0"), Named("x0")}}}, {{"s", 0}}}, "v",
                         {2 * n, 7})}},
         {"outputs", {"v"}}});
    t.cases.push_back(c);
  }
  EXPECT_EQ(OperationsText(t),
            "x0: f32 [A, B]\nv0 = cat([x0, x0], 0) [2A, B]\nreturn v0: f32 [2A, B]\n");
}
}  // namespace
}  // namespace akgen::craft
