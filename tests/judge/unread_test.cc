// Which inputs a run has read, by what the runner says of its regions.
#include "judge/unread.h"

#include <gtest/gtest.h>

namespace akgen::judge {
namespace {
using base::Json;

TEST(Unread, OnlyPureInputsThatTheKernelGetsAreLookedAt) {
  task::TaskSpec task;
  task.inputs.resize(5);
  task.inputs[3].kind = task::ParamKind::kScalar;
  task::CaseDesc c;
  c.inputs.resize(5);
  Packed packed;
  packed.regions = base::Parse(R"([{"role": "input"}, {"role": "inout"}, {"role": "input"}, {"role": "input"}])");
  packed.args = base::Parse(R"([0, 1, {"list": [2, 3]}, 0, null])");
  const Json op = base::Parse(R"({"inputs": [{}, {}, {}, {"value_depend": true}, {}]})");
  EXPECT_EQ(InputsRead(task, op, c, packed, base::Parse("[0, 1, 2]")), (std::set<size_t>{1, 2, 3, 4}));
  EXPECT_EQ(InputsRead(task, op, c, packed, base::Parse("[2, 3]")), (std::set<size_t>{0, 1, 3, 4}));
  EXPECT_EQ(InputsRead(task, Json::object(), c, packed, base::Parse("[0]")), (std::set<size_t>{1, 2, 4}));
}
}  // namespace
}  // namespace akgen::judge
