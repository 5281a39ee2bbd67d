// Scripts of references that never end or grow without end are left to libtorch, whose process has a time limit.
#include "task/evaluate/run_script.h"

#include <gtest/gtest.h>

namespace akgen::task::evaluate {
namespace {
using record::ScriptBlock;
using record::ScriptNode;

// n times `body`, or for ever, from the list v0; v1 is n, v2 whether to go on, v3 the turn.
ScriptBlock Looping(std::vector<ScriptNode> body) {
  ScriptNode loop;
  loop.op = "Loop", loop.in = {1, 2};
  loop.blocks = {{{3}, {2}, std::move(body)}};
  ScriptNode made;
  made.op = "zeros", made.in = {0, 4}, made.out = {5};
  return {{0, 1, 2, 4}, {5}, {loop, made}};
}
std::vector<TensorPtr> Ran(const ScriptBlock& script, int64_t turns) {
  return RunScript(script, {ListOf({Value(int64_t{1})}), Value(turns), Value(true), Value(int64_t{7})});
}

TEST(RunScript, EndsWithItsLoops) {
  EXPECT_EQ(Ran(Looping({}), 3).at(0)->shape, Shape{1});
  EXPECT_THROW(Ran(Looping({}), INT64_MAX), Unsupported);
}

TEST(RunScript, ListsThatGrowAreWork) {
  ScriptNode append;
  append.op = "append", append.in = {0, 1}, append.out = {6};
  EXPECT_EQ(Ran(Looping({append}), 2).at(0)->shape, (Shape{1, 2, 2}));
  EXPECT_THROW(Ran(Looping({append}), 1 << 20), Unsupported);
}

TEST(RunScript, TheLeastIntegerIsDivided) {
  ScriptNode divide;
  divide.op = "floordiv", divide.in = {0, 1}, divide.out = {2};
  ScriptNode list;
  list.op = "ListConstruct", list.in = {2}, list.out = {3};
  ScriptNode made;
  made.op = "tensor", made.in = {3}, made.out = {4};
  const ScriptBlock script{{0, 1}, {4}, {divide, list, made}};
  EXPECT_EQ(RunScript(script, {Value(int64_t{7}), Value(int64_t{-2})}).at(0)->whole[0], -4);
  EXPECT_EQ(RunScript(script, {Value(INT64_MIN), Value(int64_t{-1})}).at(0)->whole[0], INT64_MIN);
}
}  // namespace
}  // namespace akgen::task::evaluate
