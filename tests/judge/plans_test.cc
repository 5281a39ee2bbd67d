// What the planner makes of every task: digests of its program and project, or why there is none;
// of one in ten the program.
#include "judge/plan_task.h"

#include <gtest/gtest.h>

#include "../golden.h"
#include "base/hash.h"
#include "craft/craft.h"

namespace akgen::judge {
namespace {
TEST(Plans, OfEveryTaskAsInTheTable) {
  const auto target = craft::LoadTarget();
  ASSERT_TRUE(target.ok());
  task::ReferenceClient reference;
  std::string text;
  size_t number = 0;
  for (const task::TaskInfo& info : task::ListTasks()) {
    const auto task = task::LoadTaskFolder(info.folder);
    ASSERT_TRUE(task.ok()) << info.name;
    const auto program = PlanTask(reference, *task, *target);
    text += "==== " + info.name;
    if (!program.ok()) {
      text += "\n" + program.error().error.code + " " + program.error().error.message + "\n";
      continue;
    }
    const craft::Compiled c = craft::Compile(*program, *target);
    EXPECT_TRUE(c.diagnostics.empty()) << info.name;
    std::string project;
    for (const auto& [path, content] : craft::EmitProject(c.lowered))
      project += path + "\n" + content;
    text += ": " + base::Sha256(project).substr(0, 12) + ", program " +
            base::Sha256(*program).substr(0, 12) + "\n";
    if (number++ % 10 == 0) text += *program;
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "plans.txt", text);
}
}  // namespace
}  // namespace akgen::judge
