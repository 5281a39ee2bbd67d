// All shipped tasks: they load, every case resolves, inputs can be drawn, rules have numbers, names
// agree with folders.
#include <gtest/gtest.h>

#include "task/compare.h"
#include "task/inputs.h"

namespace akgen::task {
void PrintTo(const TaskInfo& t, std::ostream* out) { *out << t.name; }
namespace {

class ShippedTask : public testing::TestWithParam<TaskInfo> {};

TEST_P(ShippedTask, LoadsAndResolves) {
  const TaskInfo& info = GetParam();
  auto task = LoadTaskFolder(info.folder);
  ASSERT_TRUE(task) << task.error().ToString();
  EXPECT_EQ(task->name, info.name);
  EXPECT_EQ(task->category, info.category);
  EXPECT_EQ(task->level, info.level);
  EXPECT_GE(task->description.size(), 20u);
  for (const CaseRow& row : task->cases) {
    auto c = ResolveCase(*task, row);
    ASSERT_TRUE(c) << c.error().ToString();
    for (const TensorDesc& t : Flatten(c->outputs)) {
      auto rule = RuleFor(*task, *c, t.dtype);
      EXPECT_TRUE(rule) << rule.error().ToString();
    }
    EXPECT_GT(c->memory_estimate, 0u);
    if (c->memory_estimate > 16u << 20) continue;
    auto inputs = GenerateInputs(*task, *c, 1);
    EXPECT_TRUE(inputs) << inputs.error().ToString();
  }
}
INSTANTIATE_TEST_SUITE_P(Tasks, ShippedTask, testing::ValuesIn(ListTasks()),
                         [](const auto& info) { return info.param.name; });

TEST(Tasks, AllOfLevelOne) {
  int level1 = 0, cases = 0;
  for (const TaskInfo& t : ListTasks())
    if (t.level == 1) {
      ++level1;
      cases += int(LoadTaskFolder(t.folder)->cases.size());
    }
  EXPECT_EQ(level1, 37);
  EXPECT_EQ(cases, 292);
}

TEST(Tasks, EntryAndNameFindTheSameTask) {
  auto a = LoadTask("AddCustom"), b = LoadTask("add_custom");
  ASSERT_TRUE(a);
  ASSERT_TRUE(b);
  EXPECT_EQ(a->folder, b->folder);
}

TEST(Tasks, TooLargeSaysHowMuch) {
  auto task = LoadTask("StridesliceNegConcatV2");
  ASSERT_TRUE(task);
  auto c = ResolveCase(*task, "3");
  ASSERT_TRUE(c);
  EXPECT_EQ(TooLarge(*c), "");
  EXPECT_NE(TooLarge(*c, 1ull << 30).find("GiB"), std::string::npos);
  task->native_reference = false;  // in float64 it would not fit
  EXPECT_NE(TooLarge(*ResolveCase(*task, "3")), "");
}

}  // namespace
}  // namespace akgen::task
