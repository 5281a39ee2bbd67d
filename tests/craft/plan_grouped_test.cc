// Loops over groups of rows, or of slices, that the graph has one after the other.
#include <gtest/gtest.h>

#include "craft/craft.h"
#include "craft/plan/plan.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {
using base::Json;

// x0[first:last] @ x1[g] for each g, where x2 says the ends; put together.
struct Groups {
  std::vector<int64_t> ends = {3, 7, 9};
  int64_t k = 16, n = 32, entries = 3;
  bool apart = false;    // the second one leaves a row out
  bool doubled = false;  // the last one has its product twice
  bool scaled = false;   // each row by a number of x3
  bool flat = false;     // put together as they lie
};

Json Item(int64_t turn, int64_t value) {
  return {{"s",
           {{"op", "Int"},
            {"value", value},
            {"args",
             {{{"item", "x2"}, {"value", value}, {"index", {{"turn", turn}, {"value", turn}}}}}}}}};
}

PlanTask TaskOf(const Groups& groups) {
  using base::Dtype;
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {Dtype::kFloat16}},
              {"x1", false, false, false, "", {Dtype::kFloat16}},
              {"x2", false, false, false, "", {Dtype::kInt64}}};
  t.outputs = {{false, {Dtype::kFloat16}, "", true}};
  PlanCase c;
  const int64_t rows = groups.ends.back();
  c.shapes = {{"x0", {rows, groups.k}},
              {"x1", {groups.entries, groups.k, groups.n}},
              {"x2", {int64_t(groups.ends.size())}}};
  if (groups.scaled) {
    t.params.push_back({"x3", false, false, false, "", {Dtype::kFloat32}});
    c.shapes["x3"] = {rows};
  }
  Json nodes = Json::array(), pieces = Json::array();
  int64_t first = 0, all = 0;
  auto add = [&](const std::string& op, Json args, std::vector<int64_t> shape) {
    const std::string id = "v" + std::to_string(nodes.size());
    nodes.push_back({{"op", op},
                     {"args", args},
                     {"out", {{{"id", id}, {"shape", shape}, {"dtype", "Double"}}}}});
    return Json{{"t", id}};
  };
  for (int64_t g = 0; g < int64_t(groups.ends.size()); ++g) {
    const int64_t last = groups.ends[size_t(g)], m = last - first;
    const Json begin = g == 0                   ? Json{{"s", 0}}
                       : groups.apart && g == 1 ? Json{{"s", first + 1}}
                                                : Item(g - 1, first);
    auto range = [&](const char* of, std::vector<int64_t> shape) {
      return add("slice", {{{"t", of}}, {{"s", 0}}, begin, Item(g, last), {{"s", 1}}}, shape);
    };
    Json a = range("x0", {m, groups.k});
    Json b = add("select", {{{"t", "x1"}}, {{"s", 0}}, {{"s", {{"turn", g}, {"value", g}}}}},
                 {groups.k, groups.n});
    Json v = add("matmul", {a, b}, {m, groups.n});
    if (groups.scaled) {
      Json scale = add("unsqueeze", {range("x3", {m}), {{"s", 1}}}, {m, 1});
      v = add("mul", {v, scale}, {m, groups.n});
    }
    if (groups.doubled && g + 1 == int64_t(groups.ends.size()))
      v = add("add", {v, v, {{"s", 1}}}, {m, groups.n});
    if (groups.flat) v = add("reshape", {v, {{"l", {-1}}}}, {m * groups.n});
    pieces.push_back(v);
    first = last, all += m;
  }
  Json whole =
      add("cat", {{{"l", pieces}}, {{"s", 0}}},
          groups.flat ? std::vector<int64_t>{all * groups.n} : std::vector<int64_t>{all, groups.n});
  c.graph = record::GraphFromJson({{"nodes", nodes}, {"outputs", {whole["t"]}}});
  c.outputs = {groups.flat ? std::vector<int64_t>{all * groups.n}
                           : std::vector<int64_t>{all, groups.n}};
  t.cases = {c};
  return t;
}

TEST(CraftPlanGrouped, OneLoopForAnyNumberOfGroups) {
  for (bool flat : {false, true}) {
    Groups few, many;
    few.flat = many.flat = flat;
    many.ends = {0, 8, 8, 30, 64}, many.entries = 5, many.k = 48;
    PlanTask t = TaskOf(few);
    t.cases.push_back(TaskOf(many).cases[0]);
    auto text = Plan(t);
    ASSERT_TRUE(text.ok()) << text.error().ToString();
    EXPECT_NE(text->find("for g in range(groups):"), std::string::npos) << *text;
    EXPECT_NE(text->find("b[g, :, j : j + w]"), std::string::npos) << *text;
    EXPECT_NE(text->find(flat ? "empty([m * n]" : "empty([m, n]"), std::string::npos) << *text;
    EXPECT_EQ(text->find("after_kernel"), std::string::npos) << "sums are the result: " << *text;
  }
}

TEST(CraftPlanGrouped, WhatFollowsAProductIsComputedWithIt) {
  Groups groups;
  groups.scaled = true;
  auto text = Plan(TaskOf(groups));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_NE(text->find("y[:] = (x * x3_column_ub)"), std::string::npos) << *text;
  EXPECT_NE(text->find("x3.numel == m"), std::string::npos)
      << "another number of scales is refused: " << *text;
}

TEST(CraftPlanGrouped, GroupsThatDifferAreNoLoop) {
  struct Row {
    const char* what;
    std::function<void(Groups&)> change;
  };
  const Row rows[] = {{"a row that belongs to none", [](Groups& g) { g.apart = true; }},
                      {"one that computes something else", [](Groups& g) { g.doubled = true; }},
                      {"an entry too many", [](Groups& g) { g.entries = 4; }}};
  for (const Row& row : rows) {
    Groups groups;
    row.change(groups);
    auto text = Plan(TaskOf(groups));
    EXPECT_TRUE(!text.ok() || text->find("groups_kernel") == std::string::npos)
        << row.what << *text;
  }
}

}  // namespace
}  // namespace akgen::craft
