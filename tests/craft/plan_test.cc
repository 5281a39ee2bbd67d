// The planner: rules over graphs without names, and what it refuses.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/plan/plan.h"
#include "craft/syntax/parser.h"

namespace akgen::craft {
namespace {
using base::Json;

Json Node(const char* op, Json args, const char* id, std::vector<int64_t> shape) {
  return {{"op", op}, {"args", args}, {"out", Json::array({{{"id", id}, {"shape", shape}, {"dtype", "Double"}}})}};
}
Json T(const char* id) { return {{"t", id}}; }

PlanTask RowNorm(std::vector<int64_t> shape) {
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {base::Dtype::kFloat16, base::Dtype::kFloat32}}};
  t.outputs = {{false, {base::Dtype::kFloat16, base::Dtype::kFloat32}, "", true}};
  std::vector<int64_t> stat = {shape[0], 1};
  PlanCase c;
  c.shapes["x0"] = shape;
  c.graph = {{"nodes", Json::array({Node("mul", {T("x0"), T("x0")}, "a", shape),
                                    Node("sum", {T("a"), {{"l", {-1}}}, {{"s", true}}, nullptr}, "b", stat),
                                    Node("div", {T("x0"), T("b")}, "c", shape)})},
             {"outputs", {"c"}}};
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
  EXPECT_EQ(Format(*text, d), *text + (text->back() == '\n' ? "" : "\n")) << "planned programs are formatted";
}

TEST(CraftPlan, NamesOfValuesDoNotMatter) {
  PlanTask a = RowNorm({6, 100}), b = a;
  std::string graph = b.cases[0].graph.dump();
  for (auto [from, to] : {std::pair{"\"a\"", "\"alpha\""}, {"\"b\"", "\"beta\""}, {"\"c\"", "\"gamma\""}})
    for (size_t at = graph.find(from); at != std::string::npos; at = graph.find(from, at + 1)) graph.replace(at, 3, to);
  b.cases[0].graph = Json::parse(graph);
  EXPECT_EQ(*Plan(a), *Plan(b));
}

TEST(CraftPlan, UnknownOperationsAreRefusedByName) {
  PlanTask t = RowNorm({6, 100});
  t.cases[0].graph["nodes"][0]["op"] = "fft";
  auto text = Plan(t);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, "AK1540");
  EXPECT_NE(text.error().message.find("fft"), std::string::npos);
}

// Rules are about operations of tensors, never about operators of the benchmark.
TEST(CraftPlan, NoOperatorNameInTheRules) {
  namespace fs = std::filesystem;
  std::string rules;
  for (const auto& f : fs::directory_iterator(fs::path(AKGEN_SOURCE_DIR) / "src/craft/plan")) rules += *base::ReadFile(f.path());
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
