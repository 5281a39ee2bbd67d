// Scripts of references that never end or grow without end are left to libtorch, whose process has
// a time limit.
#include "task/evaluate/run_script.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "task/evaluate/operations.h"
#include "task/evaluate/terms.h"

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
  return RunScript(script,
                   {ListOf({Value(int64_t{1})}), Value(turns), Value(true), Value(int64_t{7})});
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

// 2^24 units: the loop and the tensor that is made take 33 and each turn 16.
TEST(RunScript, TheLastTurnWithinItsWork) {
  constexpr int64_t kMost = (1 << 24) / 16 - 3;
  EXPECT_EQ(Ran(Looping({}), kMost).at(0)->shape, Shape{1});
  EXPECT_THROW(Ran(Looping({}), kMost + 1), Unsupported);
}

// Elements of arguments and results, and of a product or a convolution an eighth or a half of what
// is multiplied.
TEST(RunScript, WorkOfAnOperation) {
  const auto tensor = [](Shape shape) { return Value(Zeros(base::Dtype::kFloat64, shape)); };
  const Value list = ListOf({Value(int64_t{1}), Value(int64_t{2}), Value(int64_t{3})}), none;
  const std::vector<Value> of_filters = {
      tensor({1, 4, 9, 9}), tensor({5, 4, 3, 3}), none, list, list, list};
  std::vector<Value> convolution = of_filters;
  convolution.push_back(Value(int64_t{1}));
  struct Row {
    const char* op;
    std::vector<Value> args, results;
    int64_t work;
  };
  const std::vector<Row> rows = {
      {"add", {}, {}, 0},
      {"add", {Value(int64_t{7})}, {Value(true)}, 0},
      {"add", {tensor({2, 3}), tensor({3})}, {tensor({2, 3})}, 15},
      {"append", {list, Value(int64_t{7})}, {list}, 6},
      {"matmul", {tensor({4, 8}), tensor({8, 2})}, {tensor({4, 2})}, 32 + 16 + 8 + 8},
      {"mm", {tensor({4, 16}), tensor({16, 2})}, {tensor({4, 2})}, 64 + 32 + 8 + 16},
      {"bmm", {tensor({1, 4, 8}), tensor({1, 8, 2})}, {tensor({1, 4, 2})}, 32 + 16 + 8 + 8},
      {"linear", {tensor({4, 8}), tensor({2, 8})}, {tensor({4, 2})}, 32 + 16 + 8 + 8},
      {"matmul", {tensor({}), tensor({})}, {tensor({8})}, 1 + 1 + 8 + 1},
      {"matmul", {list}, {list}, 6},
      {"matmul", {tensor({2})}, {}, 2},
      {"max", {tensor({4, 8})}, {tensor({4}), tensor({4})}, 40},
      {"convolution", convolution, {tensor({1, 5, 7, 7})}, 324 + 180 + 9 + 245 + 245 * 36 / 2},
      {"conv", of_filters, {tensor({1, 5, 7, 7})}, 324 + 180 + 9 + 245}};
  for (const Row& r : rows) EXPECT_EQ(WorkOf(r.op, r.args, r.results), r.work) << r.op;
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

// Each with what it is when nothing is limited; with sums within 100 it is not a number.
TEST(Sums, WhoseTermsDoNotFitUnlessTheyCancel) {
  auto tensor = [](Shape shape, std::vector<double> values) {
    auto t = Zeros(base::Dtype::kFloat64, std::move(shape));
    t->real = std::move(values);
    return Value(TensorPtr(t));
  };
  const Value fits = tensor({3}, {40, -20, 40}), crowded = tensor({3}, {60, 41, -60}),
              row = ListOf({Value(int64_t{0})}), none, ones = tensor({3}, {1, 1, 1});
  auto first = [](const std::string& op, const std::vector<Value>& args) {
    return Apply(op, args)[0].AsTensor()->real[0];
  };
  struct Row {
    std::string op;
    std::function<std::vector<Value>(const Value&)> args;
    double fits, crowded;
  };
  const std::vector<Row> rows = {
      {"sum", [&](const Value& x) { return std::vector<Value>{x, row, Value(false), none}; }, 60,
       41},
      {"mean", [&](const Value& x) { return std::vector<Value>{x, row, Value(false), none}; }, 20,
       41.0 / 3},
      {"matmul", [&](const Value& x) { return std::vector<Value>{x, ones}; }, 60, 41},
  };
  for (const Row& r : rows) {
    EXPECT_DOUBLE_EQ(first(r.op, r.args(crowded)), r.crowded) << r.op;
    const LimitSums limit(100);
    EXPECT_DOUBLE_EQ(first(r.op, r.args(fits)), r.fits) << r.op;
    EXPECT_TRUE(std::isnan(first(r.op, r.args(crowded)))) << r.op;
    EXPECT_TRUE(std::isinf(first(r.op, r.args(tensor({3}, {60, 41, HUGE_VAL}))))) << r.op;
  }
  const LimitSums limit(100);
  const auto running = Apply("cumsum", {crowded, Value(int64_t{0}), none})[0].AsTensor()->real;
  EXPECT_EQ(running[0], 60);
  EXPECT_EQ(running[1], HUGE_VAL) << "too large in every order";
  EXPECT_TRUE(std::isnan(running[2]));
  EXPECT_EQ(first("prod", {tensor({3}, {100, 0.5, 0.5}), none}), 25);
  EXPECT_TRUE(std::isnan(first("prod", {tensor({3}, {50, 0.5, 3}), none})));
  EXPECT_TRUE(std::isnan(first("prod", {tensor({3}, {0.05, 0.05, 50}), none})))
      << "0.125, of 0.0025 and 50";
  EXPECT_DOUBLE_EQ(first("prod", {tensor({3}, {0.05, 0.05, 2}), none}), 0.005)
      << "too small in any order";
  EXPECT_TRUE(std::isnan(first("prod", {tensor({4}, {0.05, 0.05, 50, 1e9}), none})))
      << "beyond both ends";
  EXPECT_EQ(first("prod", {tensor({3}, {0.0, 50, 2}), none}), 0);
  {
    const LimitSums lost(100, HUGE_VAL, 0);
    EXPECT_EQ(first("prod", {tensor({3}, {0.05, 0.05, 50}), none}), 0);
    EXPECT_EQ(first("sum", {tensor({3}, {60, 60, -79}), row, Value(false), none}), HUGE_VAL);
  }
  const auto products =
      Apply("cumprod", {tensor({4}, {50, 0.5, 3, 2}), Value(int64_t{0}), none})[0].AsTensor()->real;
  EXPECT_EQ(products[1], 25);
  EXPECT_TRUE(std::isnan(products[2])) << "75, of 50 and 1.5";
  EXPECT_EQ(products[3], HUGE_VAL);
  EXPECT_TRUE(std::isnan(first("prod", {tensor({4}, {1e-250, 1e200, 1e-150, 1e200}), none})))
      << "what grows beyond float64";
}
}  // namespace
}  // namespace akgen::task::evaluate
