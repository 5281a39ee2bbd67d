// The range group: which cases there are, and what is right on them.
#include "task/range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "task/range_compare.h"
#include "task/special_values.h"

namespace akgen::task {
namespace {
using base::Json;
constexpr float kInf = std::numeric_limits<float>::infinity(),
                kNan = std::numeric_limits<float>::quiet_NaN();

// y = f(x), elementwise or by rows.
TaskSpec Unary(const std::string& expression) {
  TaskSpec t;
  t.name = "Toy";
  ParamSpec x, y;
  x.name = "x", x.dtype = "float32", x.shape = "$shape", x.dist = {{"kind", "normal"}},
  x.present = true;
  y.name = "y", y.dtype = "float32", y.shape = "$shape", y.compared = true;
  t.inputs = {x}, t.outputs = {y};
  t.precision.rule = "D";
  t.reference = "def reference(x: Tensor) -> Tensor:\n    return " + expression + "\n";
  for (int rows : {4, 30, 7})
    t.cases.push_back({std::to_string(rows), {{"shape", {rows, 9 * rows}}}});
  return t;
}

// Which shapes there may be is told by the task's [hidden]: what was found before it said so is not
// taken again.
TEST(RangeCases, FollowWhatHiddenSays) {
  ReferenceClient reference;
  TaskSpec t = Unary("torch.abs(x) * 3");
  auto published = [&] {
    const auto rows = RangeCases(t, reference);
    EXPECT_TRUE(rows.ok() && !rows->empty());
    return std::ranges::all_of(*rows, [&](const CaseRow& row) {
      return std::ranges::any_of(t.cases, [&](const CaseRow& c) {
        return c.columns.at("shape") == row.columns.at("shape");
      });
    });
  };
  EXPECT_FALSE(published());
  t.hidden.fixed = {"shape"};
  EXPECT_TRUE(published());
}

// How many cases of the group refuse the answer `f` makes of a line of x.
using OfLine = std::function<void(const float* x, float* y, int64_t n)>;
int Refusals(const TaskSpec& task, const OfLine& f) {
  ReferenceClient reference;
  auto rows = RangeCases(task, reference);
  EXPECT_TRUE(rows.ok() && !rows->empty());
  int refused = 0;
  for (const CaseRow& row : *rows) {
    const CaseDesc c = *ResolveCase(task, row);
    EXPECT_TRUE(c.range);
    const auto inputs_result = GenerateInputs(task, c, 7);
    const TensorSet& inputs = *inputs_result;
    const auto golden_run = reference.Run(task, c, inputs),
               peer_run = reference.Run(task, c, inputs, true),
               nudged_run = reference.Run(task, c, inputs, false, kNudge),
               less_run = reference.Run(task, c, inputs, false, kSmallNudge);
    const TensorSet &golden = *golden_run, &peer = *peer_run, &nudged = *nudged_run,
                    &less = *less_run;
    const TensorDesc& t = golden.tensors[0];
    std::vector<float> y(size_t(t.Numel()));
    const int64_t length = t.shape.back();
    const auto* x = reinterpret_cast<const float*>(inputs.Bytes(0).data());
    for (int64_t i = 0; i < t.Numel(); i += length) f(x + i, y.data() + i, length);
    const auto bytes = [](const TensorSet& set) {
      return [&set] { return std::optional(std::span<const uint8_t>(set.Bytes(0))); };
    };
    refused += !CompareRange(t, {reinterpret_cast<const uint8_t*>(y.data()), y.size() * 4}, t,
                             golden.Bytes(0), {bytes(peer), bytes(less), {}, {bytes(nudged)}})
                    .pass;
  }
  return refused;
}
OfLine Each(float (*f)(float)) {
  return [f](const float* x, float* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
  };
}

TEST(RangeCases, AreAFunctionOfTheTask) {
  ReferenceClient reference;
  auto rows = RangeCases(Unary("torch.exp(x)"), reference),
       again = RangeCases(Unary("torch.exp(x)"), reference);
  ASSERT_TRUE(rows.ok() && again.ok());
  std::set<std::string> ids;
  for (size_t i = 0; i < rows->size(); ++i) {
    ids.insert((*rows)[i].id);
    EXPECT_EQ((*rows)[i].draws, (*again)[i].draws);
  }
  for (const char* id :
       {"range-wide-float32", "range-edges-float32", "range-lines-float32", "range-row-float32"})
    EXPECT_TRUE(ids.contains(id)) << id;
}

TEST(RangeCases, TellAShortPolynomialFromErf) {
  const TaskSpec erf = Unary("torch.erf(x)");
  EXPECT_EQ(Refusals(erf, Each([](float x) { return float(std::erf(double(x))); })), 0);
  EXPECT_EQ(Refusals(erf, Each([](float x) { return std::erf(x); })), 0);
  // Right up to 0.6 or so.
  EXPECT_GT(Refusals(erf, Each([](float x) {
                       return (1.1283792f + (-0.37612626f + 0.11283791f * x * x) * x * x) * x;
                     })),
            0);
}

void Softmax(const float* x, float* y, int64_t n, bool maximum) {
  float most = -kInf, sum = 0;
  for (int64_t i = 0; i < n; ++i) most = std::isnan(x[i]) || x[i] > most ? x[i] : most;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - (maximum ? most : 0));
  for (int64_t i = 0; i < n; ++i) y[i] /= sum;
}
TEST(RangeCases, TellASoftmaxWithoutItsMaximum) {
  const TaskSpec softmax = Unary("torch.softmax(x, -1)");
  EXPECT_EQ(Refusals(softmax, [](auto x, auto y, auto n) { Softmax(x, y, n, true); }), 0);
  EXPECT_GT(Refusals(softmax, [](auto x, auto y, auto n) { Softmax(x, y, n, false); }), 0);
}

TEST(RangeCases, TellAReluThatDropsNan) {
  const TaskSpec relu = Unary("torch.relu(x)");
  EXPECT_EQ(Refusals(relu, Each([](float x) { return x < 0 ? 0 : x; })), 0);
  EXPECT_GT(Refusals(relu, Each([](float x) { return x > 0 ? x : 0; })), 0);
}

TEST(RangeCases, TellHalfAwayFromHalfToEven) {
  const TaskSpec round = Unary("torch.round(x)");
  EXPECT_EQ(Refusals(round, Each([](float x) { return std::nearbyint(x); })), 0);
  EXPECT_GT(Refusals(round, Each([](float x) { return std::round(x); })), 0);
}

TEST(RangeCases, StayInADeclaredDomain) {
  TaskSpec log = Unary("torch.log(x)");
  log.inputs[0].domain = {0.5, {}, false, "a page"};
  ReferenceClient reference;
  auto rows = RangeCases(log, reference);
  ASSERT_TRUE(rows.ok() && !rows->empty());
  for (const CaseRow& row : *rows) {
    const auto inputs_result = GenerateInputs(log, *ResolveCase(log, row), 7);
    const TensorSet& inputs = *inputs_result;
    const auto* x = reinterpret_cast<const float*>(inputs.Bytes(0).data());
    for (int64_t i = 0; i < inputs.tensors[0].Numel(); ++i)
      ASSERT_GE(x[i], 0.5f) << row.id << " " << i;
  }
}

// What a limit hides of an infinity shows beside another one only: their difference is NaN.
TEST(RangeCases, TellAKernelThatLosesSpecialValuesOfAnyInput) {
  TaskSpec task = Unary("torch.clamp(x + bias, 0.0, 1.0)");
  ParamSpec bias = task.inputs[0];
  bias.name = "bias", bias.shape = base::Json::array({1, "$length"});
  task.inputs.push_back(bias);
  task.reference =
      "def reference(x: Tensor, bias: Tensor) -> Tensor:\n"
      "    return torch.clamp(x.sum([1], True) + bias, 0.0, 1.0)\n";
  for (CaseRow& row : task.cases) row.columns["length"] = row.columns["shape"][1];
  ReferenceClient reference;
  const auto rows = RangeCases(task, reference);
  ASSERT_TRUE(rows.ok());
  SpecialValues told(task, reference);
  for (size_t input : {0, 1})
    for (bool nan : {true, false}) {
      auto tells = [&](const CaseRow& row) {
        told.Take(row);
        return *told.Tells({input, nan});
      };
      EXPECT_TRUE(std::any_of(rows->begin(), rows->end(), tells)) << input << nan;
    }
  // An operator that has none of them has no such cases.
  TaskSpec finite = Unary("torch.sqrt(x)");
  finite.inputs[0].domain = {0.0, 9.0, false, "a page"};
  const auto others = RangeCases(finite, reference);
  ASSERT_TRUE(others.ok());
  for (const CaseRow& row : *others) EXPECT_EQ(row.id.find("special"), std::string::npos);
}

Comparison Of(std::vector<float> out, std::vector<float> ref, std::vector<float> peer,
              std::vector<float> nudged, std::vector<float> less) {
  const TensorDesc t{base::Dtype::kFloat32, {int64_t(ref.size())}};
  auto span = [](const std::vector<float>& v) {
    return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(v.data()), v.size() * 4);
  };
  auto given = [&](const std::vector<float>& v) { return [&] { return std::optional(span(v)); }; };
  RangeExcuses excuses;
  excuses.peer = given(peer), excuses.nudged_less = given(less), excuses.nudged = {given(nudged)};
  return CompareRange(t, span(out), t, span(ref), excuses);
}

TEST(CompareRange, ExcusesWhatThePeerCannotDoEither) {
  EXPECT_FALSE(Of({kInf}, {1e30f}, {1e30f}, {1e30f}, {1e30f}).pass);
  EXPECT_TRUE(Of({kInf}, {1e30f}, {kInf}, {1e30f}, {1e30f}).pass);
  EXPECT_FALSE(Of({0}, {kNan}, {kNan}, {kNan}, {kNan}).pass);
  EXPECT_FALSE(Of({-kInf}, {kInf}, {kInf}, {kInf}, {kInf}).pass);
  EXPECT_TRUE(Of({kNan}, {kNan}, {kNan}, {kNan}, {kNan}).pass);
}

TEST(CompareRange, ExcusesASteepReferenceButNotAJump) {
  EXPECT_TRUE(Of({1.3f}, {1}, {1}, {1.1f}, {1.00625f}).pass);
  EXPECT_FALSE(Of({1.5f}, {1}, {1}, {1.1f}, {1.00625f}).pass);  // further than four such steps
  EXPECT_FALSE(Of({2}, {1}, {1}, {2}, {2}).pass);  // a tie: it jumps however little the input moves
  EXPECT_TRUE(Of({kInf}, {3e38f}, {3e38f}, {kInf}, {3e38f}).pass);
  EXPECT_TRUE(Of({3e38f}, {kInf}, {kInf}, {3e38f}, {kInf}).pass);
  EXPECT_FALSE(Of({0}, {kInf}, {kInf}, {kInf}, {kInf}).pass);
  EXPECT_TRUE(
      Of({kNan}, {kInf}, {kInf}, {-kInf}, {kInf}).pass);  // infinity times a 0 that roundings hide
  EXPECT_FALSE(Of({kNan}, {kInf}, {kInf}, {kInf}, {kInf}).pass);
  EXPECT_TRUE(Of({-kInf}, {kInf}, {kInf}, {-kInf}, {kInf}).pass);
  EXPECT_FALSE(Of({1}, {kInf}, {kInf}, {-kInf}, {kInf}).pass);
  EXPECT_TRUE(Of({-kInf}, {kNan}, {kNan}, {-kInf}, {kNan}).pass);  // beside an infinity
  EXPECT_FALSE(Of({kInf}, {kNan}, {kNan}, {-kInf}, {kNan}).pass);
  EXPECT_TRUE(Of({kNan}, {kInf}, {kInf}, {kNan}, {kInf}).pass);
}

TEST(CompareRange, ExcusesWhatRoundingsOfOperationsDecide) {
  const TensorDesc t{base::Dtype::kFloat32, {1}};
  auto pass = [&](float out, float noisy, float less) {
    const float ref = 1;
    auto bytes = [](auto& v) {
      return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(&v), sizeof v);
    };
    RangeExcuses excuses;
    excuses.noisy = {[&] { return std::optional(bytes(noisy)); }};
    excuses.noisy_less = [&] { return std::optional(bytes(less)); };
    return CompareRange(t, bytes(out), t, bytes(ref), excuses).pass;
  };
  EXPECT_TRUE(pass(1.3f, 1.1f, 1.00625f));
  EXPECT_FALSE(pass(1.5f, 1.1f, 1.00625f));
  EXPECT_FALSE(pass(1.3f, 1.1f, 1.1f)) << "a jump";
}

TEST(CompareRange, ExcusesPlacesThatRoundingsOfOperationsDecide) {
  const TensorDesc t{base::Dtype::kInt64, {1}};
  auto pass = [&](int64_t out, int64_t noisy, int64_t less) {
    const int64_t ref = 7;
    auto bytes = [](auto& v) {
      return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(&v), sizeof v);
    };
    RangeExcuses excuses;
    excuses.nudged = {[&] { return std::optional(bytes(out)); }};
    excuses.nudged_less = [&] { return std::optional(bytes(ref)); };
    excuses.noisy = {[&] { return std::optional(bytes(ref)); },
                     [&] { return std::optional(bytes(noisy)); }};
    excuses.noisy_less = [&] { return std::optional(bytes(less)); };
    return CompareRange(t, bytes(out), t, bytes(ref), excuses).pass;
  };
  EXPECT_TRUE(pass(3, 3, 7));
  EXPECT_FALSE(pass(3, 4, 7));
  EXPECT_FALSE(pass(3, 3, 3)) << "equal values have one order";
}

TEST(CompareRange, ExcusesWhatIsRoundedOrConvertedOnTheWay) {
  const TensorDesc t{base::Dtype::kFloat32, {1}};
  auto pass = [&](float out, float above, float converted) {
    const float ref = 1;
    auto bytes = [](auto& v) {
      return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(&v), sizeof v);
    };
    RangeExcuses excuses;
    excuses.beside_ties = {[&] { return std::optional(bytes(ref)); },
                           [&] { return std::optional(bytes(above)); }};
    excuses.converted_otherwise = [&] { return std::optional(bytes(converted)); };
    return CompareRange(t, bytes(out), t, bytes(ref), excuses).pass;
  };
  EXPECT_TRUE(pass(1.0078125f, 1.0078125f, 1)) << "the next step of a quantisation";
  EXPECT_FALSE(pass(1.015625f, 1.0078125f, 1)) << "two steps";
  EXPECT_TRUE(pass(kNan, 1, -kInf)) << "made of an integer that nothing defines";
  EXPECT_FALSE(pass(kNan, 1, 1));
}

TEST(CompareRange, ExcusesASumThatFitsInSomeOrdersOnly) {
  const TensorDesc t{base::Dtype::kFloat32, {1}};
  auto pass = [&](float out, float ref, float crowded, float above = kInf, float below = -kInf,
                  float lost = kNan) {
    auto bytes = [](auto& v) {
      return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(&v), sizeof v);
    };
    RangeExcuses excuses;
    excuses.crowded = [&] { return std::optional(bytes(crowded)); };
    excuses.crowded_above = [&] { return std::optional(bytes(above)); };
    excuses.crowded_below = [&] { return std::optional(bytes(below)); };
    excuses.crowded_lost = [&] { return std::optional(bytes(lost)); };
    return CompareRange(t, bytes(out), t, bytes(ref), excuses).pass;
  };
  for (float out : {kInf, -kInf, kNan}) {
    EXPECT_TRUE(pass(out, 1e38f, kNan)) << out;
    EXPECT_FALSE(pass(out, 1e38f, 1e38f)) << out;
  }
  EXPECT_FALSE(pass(2e38f, 1e38f, kNan));  // it fits and is wrong
  // Behind a ReLU, say: the sum below all numbers has become 0.
  EXPECT_TRUE(pass(0, 1e38f, kNan, kInf, 0));
  EXPECT_FALSE(pass(1, 1e38f, kNan, kInf, 0));
  EXPECT_FALSE(pass(0, 1e38f, 1e38f, kInf, 0));
  EXPECT_FALSE(pass(1, kInf, kNan));
  // A product whose small factors came first.
  EXPECT_TRUE(pass(0, kInf, kNan, kInf, -kInf, 0));
  EXPECT_FALSE(pass(0, kInf, kInf, kInf, -kInf, 0));
  EXPECT_FALSE(pass(1, kInf, kNan, kInf, -kInf, 0));
  EXPECT_TRUE(pass(0.6f, 1, kNan, kInf, -kInf, 0)) << "digits of a small one";
  EXPECT_FALSE(pass(0.4f, 1, kNan, kInf, -kInf, 0));
  EXPECT_FALSE(pass(-0.6f, 1, kNan, kInf, -kInf, 0));
  EXPECT_FALSE(pass(0.6f, 1, kNan, kInf, -kInf, kNan)) << "a sum";
}

TEST(CompareRange, ExcusesANeighbourWhereFloat32Decides) {
  const TensorDesc t{base::Dtype::kFloat32, {1}};
  auto pass = [&](float out, float ref, double exact, double single) {
    auto bytes = [](auto& v) {
      return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(&v), sizeof v);
    };
    RangeExcuses excuses;
    excuses.unrounded = [&] { return std::optional(bytes(exact)); };
    excuses.unrounded_single = [&] { return std::optional(bytes(single)); };
    return CompareRange(t, bytes(out), t, bytes(ref), excuses).pass;
  };
  EXPECT_TRUE(pass(63, 64, 63.5, 63.4999999));
  EXPECT_FALSE(pass(63, 64, 63.5, 63.5));
  EXPECT_FALSE(pass(63, 64, 63.7, 63.7));
}

TEST(CompareRange, TakesTenTimesTheMeanLimitAndNoMore) {
  const float limit = 10 * std::ldexp(1.0f, -13);
  EXPECT_TRUE(Of({1 + limit}, {1}, {1}, {1}, {1}).pass);
  EXPECT_FALSE(Of({1 + limit * 1.001f}, {1}, {1}, {1}, {1}).pass);
}
}  // namespace
}  // namespace akgen::task
