// Which inputs a run has read, by what the runner says of its regions.
#include "judge/session/unread.h"

#include <gtest/gtest.h>

namespace akgen::judge {
namespace {

TEST(Unread, OnlyPureInputsThatTheKernelGetsAreLookedAt) {
  task::TaskSpec task;
  task.inputs.resize(5);
  task.inputs[3].kind = task::ParamKind::kScalar;
  task::CaseDesc c;
  c.inputs.resize(5);
  Packed packed;
  using Argument = sim::RunArgument;
  packed.regions.resize(4);
  packed.regions[1].role = sim::Role::kInout;
  packed.args = {{Argument::kRegion, {0}, {}},
                 {Argument::kRegion, {1}, {}},
                 {Argument::kList, {2, 3}, {}},
                 {Argument::kRegion, {0}, {}},
                 {}};
  OperatorDefinition op;
  op.inputs.resize(5);
  op.inputs[3].value_depend = true;
  EXPECT_EQ(InputsRead(task, op, c, packed, {0, 1, 2}), (std::set<size_t>{1, 2, 3, 4}));
  EXPECT_EQ(InputsRead(task, op, c, packed, {2, 3}), (std::set<size_t>{0, 1, 3, 4}));
  EXPECT_EQ(InputsRead(task, {}, c, packed, {0}), (std::set<size_t>{1, 2, 4}));
}
}  // namespace
}  // namespace akgen::judge
