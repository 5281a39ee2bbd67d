// References that akgen-reference evaluates in another way than they are written (rewrite.h).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/json.h"
#include "expression.h"
#include "task/element.h"
#include "task/range_compare.h"

namespace akgen::task {
namespace {

// Sums whose order decides whether they fit float32, marked by task/evaluate and in libtorch.
class UndecidedSums : public testing::TestWithParam<const char*> {};
TEST_P(UndecidedSums, AreTheSameWithAndWithoutLibtorch) {
  const TaskSpec t = Expression(GetParam());
  const auto c = ResolveCase(t, "0");
  ReferenceClient::Options options;
  options.cache = options.evaluate = false;
  ReferenceClient libtorch(options);
  int marked = 0, other = 0;
  for (uint64_t seed : {1, 2, 3}) {
    auto inputs = GenerateInputs(t, *c, seed);
    for (auto undecided :
         {record::UndecidedSum::kNan, record::UndecidedSum::kAbove, record::UndecidedSum::kBelow}) {
      auto one = Client().Crowded(t, *c, *inputs, undecided);
      ASSERT_TRUE(one.ok() && Client().last_was_evaluated()) << GetParam();
      auto two = libtorch.Crowded(t, *c, *inputs, undecided);
      ASSERT_TRUE(two.ok()) << two.error().ToString();
      for (int64_t i = 0; i < 64; ++i) {
        const double a = ReadElement<double>(one->Bytes(0).data(), i),
                     b = ReadElement<double>(two->Bytes(0).data(), i);
        ASSERT_TRUE((std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= 1e25)
            << GetParam() << ", element " << i << ": " << a << " and " << b;
        (std::isfinite(a) ? other : marked) += a != 0;
      }
    }
  }
  EXPECT_GT(marked, 0);
  EXPECT_GT(other, 0);
}
INSTANTIATE_TEST_SUITE_P(
    Operations, UndecidedSums,
    testing::Values("(x * 7e37).sum(2)", "(x * 7e37).mean(2)", "torch.matmul(x * 5e37, y)",
                    "torch.linear(x * 5e37, y.reshape([1, 4]))",
                    "torch.einsum('abc,c->ab', [x * 5e37, y])", "torch.cumsum(x * 7e37, 2)",
                    "torch.conv1d(x * 5e37, x[:, :, :2], None, 1, 1, 1, 1)",
                    "torch.bmm(x * 5e37, x.transpose(1, 2))",
                    "torch._convolution(x * 5e37, x[:, :, :2], None, [1], [1], [1], False, [0], 1, "
                    "False, False, True, True)",
                    "torch._convolution(x * 5e37, x.reshape([3, 2, 4]), None, [2], [1], [1], True, "
                    "[1], 1, False, False, True, True)",
                    "torch.relu(torch.matmul(x * 5e37, y))"));

// A norm of what hardly differs moves far when a sum before it is rounded; what is only moved
// stays.
TEST(Noisy, MovesWhatArithmeticMakes) {
  const struct {
    const char* expression;
    double least, most;
  } rows[] = {
      {"torch.layer_norm(x + 1000, [4])", 1e-5, 1e-2},
      {"torch.relu(x + 1000)", 1e-6, 2e-4},
      {"torch.relu(x + 1000).reshape([x.size(0) * x.size(1), -1])", 1e-6, 2e-4},
      // What is subtracted in a norm, and terms that cancel.
      {"torch.layer_norm(torch.stack([x, x + 1], 3) + 1000, [2])", 1e-5, 1e-2},
      {"torch.layer_norm(torch.stack([x, x + 1], 3) + 1000, [2], y[:2] * 0 + 9)", 1e-4, 1e-1},
      {"torch.group_norm((torch.stack([x, x + 1], 3) + 1000).reshape([24, 2]), 1)", 1e-5, 1e-2},
      {"torch.batch_norm((torch.stack([x, x + 1], 0) + 1000).reshape([2, 24]), None, None, "
       "None, None, True, 0.1, 1e-5, False)",
       1e-5, 1e-2},
      {"torch.instance_norm((torch.stack([x, x + 1], 3) + 1000).reshape([6, 4, 2]), None, "
       "None, None, None, True, 0.1, 1e-5, False)",
       1e-5, 1e-2},
      {"torch.matmul(torch.cat([x, -x], 2), torch.cat([y, y]))", 1e-7, 1e-4},
      {"torch.einsum('abc,c->ab', [torch.cat([x, -x], 2), torch.cat([y, y])])", 1e-7, 1e-4},
      {"torch.cat([x, -x], 2).sum(2)", 1e-7, 1e-4},
      {"torch.cat([x, -x], 2).mean(2)", 1e-8, 1e-5},
      {"torch.relu(x).transpose(1, 2).contiguous()", 0, 0}};
  for (const auto& row : rows) {
    const TaskSpec t = Expression(row.expression);
    const auto c = ResolveCase(t, "0");
    auto inputs = GenerateInputs(t, *c, 3);
    const auto exact = Client().Run(t, *c, *inputs);
    double moved[2] = {};
    for (int k : {0, 1}) {
      const auto noisy = Client().Run(t, *c, *inputs, false, k ? kSmallNoise : kNoise, 0, true);
      ASSERT_TRUE(noisy && exact) << row.expression;
      for (int64_t i = 0; i < exact->tensors[0].Numel(); ++i)
        moved[k] = std::max(moved[k], std::fabs(ReadElement<double>(noisy->Bytes(0).data(), i) -
                                                ReadElement<double>(exact->Bytes(0).data(), i)));
    }
    EXPECT_GE(moved[0], row.least) << row.expression;
    EXPECT_LE(moved[0], row.most) << row.expression;
    EXPECT_LE(moved[1], moved[0] / 4) << row.expression;
  }
}

// Ties that arithmetic makes are moved to the side that is asked for; those of the input stay.
TEST(BesideTies, MovesWhatIsRoundedOnTheWay) {
  const struct {
    const char* expression;
    double up, down;  // of each element
  } rows[] = {{"torch.round(x * 0 + 63.5000001) / 127", 64, 63},
              {"torch.round(x * 0 + 63.4999999) / 127", 64, 63},
              {"torch.round(x * 0 + 63.5) / 127", 64, 64},
              {"torch.round(x * 0 - 63.5) / 127", -64, -64},
              {"torch.round(x * 0 + 62.5) / 127", 62, 62},
              {"torch.round(x * 0 + 63.51) / 127", 64, 64}};
  for (const auto& row : rows) {
    const TaskSpec t = Expression(row.expression);
    const auto c = ResolveCase(t, "0");
    auto inputs = GenerateInputs(t, *c, 3);
    const auto up = Client().RunOtherwise(t, *c, *inputs, {.ties = 0x1p-22}),
               down = Client().RunOtherwise(t, *c, *inputs, {.ties = -0x1p-22});
    ASSERT_TRUE(up && down) << row.expression;
    EXPECT_DOUBLE_EQ(ReadElement<double>(up->Bytes(0).data(), 5), row.up / 127) << row.expression;
    EXPECT_DOUBLE_EQ(ReadElement<double>(down->Bytes(0).data(), 5), row.down / 127)
        << row.expression;
  }
  const TaskSpec t = Expression("x * 2");
  const auto c = ResolveCase(t, "0");
  EXPECT_FALSE(Client().RunOtherwise(t, *c, *GenerateInputs(t, *c, 3), {.ties = 0x1p-22}).ok());
}

// Only what no integer holds is converted to another one.
TEST(ConvertedOtherwise, ChangesWhatNothingDefines) {
  const struct {
    const char* expression;
    double first;
  } rows[] = {{"torch.log(x * 0 - 1).to(4)", 0x1p30},
              {"(x * 0 + 1e19).to(4)", 0x1p30},
              {"(x * 0 - 9e18).to(4)", -9e18},
              {"(x * 0 + 1.75).to(3)", 1},
              {"(n * 0 + 7).to(1)", 7}};
  for (const auto& row : rows) {
    const TaskSpec t = Expression(row.expression);
    const auto c = ResolveCase(t, "0");
    const auto other =
        Client().RunOtherwise(t, *c, *GenerateInputs(t, *c, 3), {.conversions = true});
    ASSERT_TRUE(other) << row.expression;
    EXPECT_DOUBLE_EQ(ReadElement<double>(other->Bytes(0).data(), 0), row.first) << row.expression;
  }
  TaskSpec t = Expression("x");
  t.reference =
      "def reference(x: Tensor, y: Tensor, n: Tensor, k: Tensor, b: Tensor) -> Tensor:\n    return "
      "x";
  const auto c = ResolveCase(t, "0");
  EXPECT_FALSE(Client().RunOtherwise(t, *c, *GenerateInputs(t, *c, 3), {.conversions = true}).ok());
}

// What rounded integers are rounded from, in float64 and in float32.
TEST(Unrounded, RoundsToTheReference) {
  for (const char* name : {"GeluQuant", "AddRmsNormQuant", "DequantSwigluQuant"}) {
    auto task = LoadTask(name);
    ASSERT_TRUE(task);
    auto c = ResolveCase(*task, task->cases[1]);
    ASSERT_TRUE(c);
    auto inputs = GenerateInputs(*task, *c, 7);
    ASSERT_TRUE(inputs);
    auto golden = Client().Run(*task, *c, *inputs),
         single = Client().RunInSingle(*task, *c, *inputs);
    auto exact = Client().RunUnrounded(*task, *c, *inputs, false),
         exact_single = Client().RunUnrounded(*task, *c, *inputs, true);
    ASSERT_TRUE(golden && single && exact && exact_single) << name;
    ASSERT_EQ(exact->tensors[0].dtype, base::Dtype::kFloat64);
    int64_t whole = 0, differ = 0;
    for (int64_t i = 0; i < golden->tensors[0].Numel(); ++i) {
      const auto at = size_t(i);
      double v, v32;
      std::memcpy(&v, exact->Bytes(0).data() + at * 8, 8),
          std::memcpy(&v32, exact_single->Bytes(0).data() + at * 8, 8);
      ASSERT_EQ(std::nearbyint(v), double(int8_t(golden->Bytes(0)[at]))) << name << " " << i;
      ASSERT_EQ(std::nearbyint(v32), double(int8_t(single->Bytes(0)[at]))) << name << " " << i;
      ASSERT_NEAR(v32, v, 1e-3);
      whole += v == std::nearbyint(v), differ += v != v32;
    }
    EXPECT_LT(whole, golden->tensors[0].Numel() / 10) << name << ": rounded after all";
    EXPECT_GT(differ, 0) << name << ": nothing was computed in float32";
  }
}

TEST(Unrounded, WholeNumbersMayBeMadeWholeAgain) {
  TaskSpec task = Expression("x");
  task.reference =
      "def reference(x: Tensor, y: Tensor, n: Tensor, k: Tensor, b: Tensor):\n"
      "    return torch.trunc(torch.clamp(torch.round(x * 3), -2, 2)).to(7).unsqueeze(0)\n";
  task.outputs[0].shape = base::Json::array({1, 2, 3, 4});
  auto c = ResolveCase(task, "0");
  auto inputs = GenerateInputs(task, *c, 7);
  ASSERT_TRUE(inputs);
  auto made = Client().RunUnrounded(task, *c, *inputs, false);
  ASSERT_TRUE(made) << made.error().ToString();
  int64_t between = 0;
  for (int64_t i = 0; i < made->tensors[0].Numel(); ++i) {
    double v;
    std::memcpy(&v, made->Bytes(0).data() + size_t(i) * 8, 8);
    EXPECT_LE(std::fabs(v), 2);
    between += v != std::nearbyint(v);
  }
  EXPECT_GT(between, 4);
}

// Of a rounded value that something else is made of, too: that stays as it is.
TEST(Unrounded, OthersKeepWhatIsRounded) {
  TaskSpec task = Expression("x");
  task.reference =
      "def reference(x: Tensor, y: Tensor, n: Tensor, k: Tensor, b: Tensor):\n"
      "    q = torch.clamp(torch.round(x * 3), -2, 2)\n"
      "    return q, q * 0.5\n";
  task.outputs[0].shape = base::Json::array({2, 3, 4});
  task.outputs.push_back(task.outputs[0]);
  task.outputs[1].name = "half";
  auto c = ResolveCase(task, "0");
  auto inputs = GenerateInputs(task, *c, 7);
  ASSERT_TRUE(inputs);
  auto made = Client().RunUnrounded(task, *c, *inputs, false);
  ASSERT_TRUE(made) << made.error().ToString();
  int64_t between = 0;
  for (int64_t i = 0; i < made->tensors[0].Numel(); ++i) {
    const double q = ReadElement<double>(made->Bytes(0).data(), i),
                 half = ReadElement<double>(made->Bytes(1).data(), i);
    EXPECT_EQ(std::nearbyint(q), 2 * half) << i;
    between += q != std::nearbyint(q);
  }
  EXPECT_GT(between, 4);
}

TEST(Unrounded, IsRefusedWhereNothingIsRounded) {
  auto task = LoadTask("Sqrt");
  ASSERT_TRUE(task);
  auto c = ResolveCase(*task, task->cases[0]);
  auto inputs = GenerateInputs(*task, *c, 7);
  auto none = Client().RunUnrounded(*task, *c, *inputs, false);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "AK0112");
}

// An operator of libtorch that does not look at what it is given ends the process: the script's
// fault, and no reason to stop asking.
}  // namespace
}  // namespace akgen::task
