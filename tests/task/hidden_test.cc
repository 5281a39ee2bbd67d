// Hidden cases of real tasks, through the reference process.
#include "task/hidden.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace akgen::task {
namespace {
using base::Json;
using Kind = Relation::Kind;

// A task of one input and one output; `cases` are its rows.
TaskSpec Spec(const std::string& input, const std::string& output, const std::string& reference,
              const std::vector<Json>& cases) {
  TaskSpec t;
  t.name = "Toy";
  ParamSpec x, y;
  x.name = "x", x.dtype = "float32", x.shape = Json::parse(input), x.dist = {{"kind", "normal"}},
  x.present = true;
  y.name = "y", y.dtype = "float32", y.shape = Json::parse(output), y.compared = true;
  t.inputs = {x}, t.outputs = {y};
  t.precision.rule = "D";
  t.reference = reference;
  for (size_t i = 0; i < cases.size(); ++i) t.cases.push_back({std::to_string(i), cases[i]});
  return t;
}

Relation At(const Relations& r, const std::string& pointer) {
  for (size_t i = 0; i < r.pointers.size(); ++i)
    if (r.pointers[i] == pointer) return r.relations[i];
  ADD_FAILURE() << pointer;
  return {};
}

TEST(HiddenRelations, AreReadOffTheCases) {
  TaskSpec t =
      Spec("\"$shape\"", "\"$half\"", "",
           {{{"shape", {8, 20}}, {"half", {8, 10}}, {"n", 160}, {"axis", 1}, {"eps", 100}},
            {{"shape", {6, 64}}, {"half", {6, 32}}, {"n", 384}, {"axis", 1}, {"eps", 100}},
            {{"shape", {7, 30}}, {"half", {7, 15}}, {"n", 210}, {"axis", 1}, {"eps", 100}},
            {{"shape", {9, 30, 4}}, {"half", {9, 15}}, {"n", 999}, {"axis", 0}, {"eps", 100}}});
  Relations r = Relate(t, t.cases[0]);
  EXPECT_EQ(At(r, "/shape/0").kind, Kind::kFree);
  EXPECT_EQ(At(r, "/shape/1").kind, Kind::kFree);
  EXPECT_EQ(At(r, "/half/0").kind, Kind::kEqual);
  EXPECT_EQ(At(r, "/half/1").kind, Kind::kHalf);
  EXPECT_EQ(At(r, "/n").kind, Kind::kProduct);
  EXPECT_EQ(At(r, "/axis").kind, Kind::kConstant);
  EXPECT_EQ(At(r, "/eps").kind, Kind::kConstant);
}

TEST(HiddenRelations, AnUnexplainedNumberKeepsTheShapes) {
  TaskSpec t =
      Spec("\"$shape\"", "\"$shape\"", "def reference(x: Tensor) -> Tensor:\n    return x + 1\n",
           {{{"shape", {50}}, {"length", 33}}, {{"shape", {60}}, {"length", 77}}});
  EXPECT_EQ(At(Relate(t, t.cases[0]), "/length").kind, Kind::kUnknown);
  ReferenceClient reference;
  auto cases = HiddenCases(t, 3, 4, "hidden", reference);
  ASSERT_TRUE(cases.ok()) << cases.error().ToString();
  for (const CaseRow& c : *cases)
    EXPECT_TRUE(c.columns["shape"] == Json({50}) || c.columns["shape"] == Json({60})) << c.columns;
}

TEST(HiddenCases, FollowSeedAndCountAlone) {
  auto task = LoadTask("RmsNorm");
  ASSERT_TRUE(task.ok());
  ReferenceClient reference;
  auto dump = [&](uint64_t seed, int count) {
    auto cases = HiddenCases(*task, seed, count, "hidden", reference);
    EXPECT_TRUE(cases.ok());
    std::string out;
    for (const auto& c : *cases) out += c.id + c.columns.dump();
    return out;
  };
  EXPECT_EQ(dump(5, 3), dump(5, 3));
  EXPECT_NE(dump(5, 3), dump(6, 3));
}

TEST(HiddenCases, KeepTheTasksContract) {
  auto task = LoadTask("RmsNorm");
  ASSERT_TRUE(task.ok());
  ReferenceClient reference;
  auto cases = HiddenCases(*task, 12, 12, "hidden", reference);
  ASSERT_TRUE(cases.ok());
  std::set<std::string> shapes;
  for (const CaseRow& row : *cases) {
    auto c = ResolveCase(*task, row);
    ASSERT_TRUE(c.ok()) << c.error().ToString();
    EXPECT_EQ(c->inputs[0].tensors[0].shape.back(), c->inputs[1].tensors[0].shape.back())
        << "gamma is as wide as a row";
    EXPECT_LE(c->inputs[0].tensors[0].Numel(), kHiddenElements);
    shapes.insert(row.columns["input_shape"].dump());
    for (const CaseRow& published : task->cases) EXPECT_NE(published.id, row.id);
  }
  EXPECT_GE(shapes.size(), 8u);
}

TEST(HiddenCases, ObeyTaskToml) {
  TaskSpec t =
      Spec("\"$shape\"", "\"$shape\"", "def reference(x: Tensor) -> Tensor:\n    return x + 1\n",
           {{{"shape", {50, 64}}}, {{"shape", {60, 96}}}, {{"shape", {70, 128}}}});
  t.hidden.fixed = {"shape/0"};
  t.hidden.multiple = {{"shape/1", 32}};
  t.hidden.most = {{"shape/1", 256}};
  ReferenceClient reference;
  auto cases = HiddenCases(t, 9, 10, "hidden", reference);
  ASSERT_TRUE(cases.ok());
  std::set<int64_t> widths;
  for (const CaseRow& c : *cases) {
    int64_t rows = c.columns["shape"][0], width = c.columns["shape"][1];
    EXPECT_TRUE(rows == 50 || rows == 60 || rows == 70);
    EXPECT_EQ(width % 32, 0);
    EXPECT_LE(width, 256);
    widths.insert(width);
  }
  EXPECT_GT(widths.size(), 2u);
}

// A reference that refuses most shapes: what is drawn is what it takes.
TEST(HiddenCases, TheReferenceHasTheLastWord) {
  TaskSpec t =
      Spec("\"$shape\"", "\"$shape\"",
           "def reference(x: Tensor) -> Tensor:\n    assert x.size(0) % 2 == 0\n    return x + 1\n",
           {{{"shape", {50}}}, {{"shape", {60}}}, {{"shape", {70}}}});
  ReferenceClient reference;
  auto cases = HiddenCases(t, 4, 6, "hidden", reference);
  ASSERT_TRUE(cases.ok());
  ASSERT_EQ(cases->size(), 6u);
  for (const CaseRow& c : *cases) EXPECT_EQ(c.columns["shape"][0].get<int64_t>() % 2, 0);
}

// The peer rounds every step to the case's own precision: 1 + 2^-12 - 1 is nothing in float16.
TEST(Peer, RoundsEveryStep) {
  TaskSpec t = Spec(
      "\"$shape\"", "\"$shape\"",
      "def reference(x: Tensor) -> Tensor:\n    y = x * 0.000244140625 + 1.0\n    return y - 1.0\n",
      {{{"shape", {4}}}});
  t.inputs[0].dist = {{"kind", "constant"}, {"value", 1.0}};
  ReferenceClient reference(ReferenceClient::Options{.cache = false, .timeout_ms = 60000});
  for (auto [dtype, expected] :
       {std::pair<const char*, double>{"float16", 0.0}, {"float32", 0.000244140625}}) {
    t.inputs[0].dtype = t.outputs[0].dtype = dtype;
    auto c = ResolveCase(t, t.cases[0]);
    ASSERT_TRUE(c.ok());
    auto inputs = GenerateInputs(t, *c, 1);
    auto golden = reference.Golden(t, *c, 1, *inputs), peer = reference.Peer(t, *c, 1, *inputs);
    ASSERT_TRUE(golden.ok() && peer.ok()) << (peer.ok() ? "" : peer.error().ToString());
    auto value = [&](const TensorSet& s) {
      uint16_t h;
      float f;
      std::memcpy(&h, s.Bytes(0).data(), 2);
      std::memcpy(&f, s.Bytes(0).data(), 4);
      return std::string(dtype) == "float16" ? double(base::HalfToFloat(h)) : double(f);
    };
    EXPECT_DOUBLE_EQ(value(*golden), 0.000244140625) << dtype;
    EXPECT_DOUBLE_EQ(value(*peer), expected) << dtype;
  }
}

// Columns hold what they like: a multiple of nothing, numbers whose double does not fit.
TEST(Hidden, OddNumbersInColumns) {
  TaskSpec t =
      Spec("\"$shape\"", "\"$shape\"", "def reference(x: Tensor) -> Tensor:\n    return x + 1\n",
           {{{"shape", {50}}, {"n", 0}, {"big", INT64_MAX}},
            {{"shape", {60}}, {"n", 0}, {"big", INT64_MIN}}});
  t.hidden.multiple_of["shape"] = "n";
  t.hidden.fixed = {"big"};
  ReferenceClient reference;
  auto cases = HiddenCases(t, 3, 2, "hidden", reference);
  ASSERT_TRUE(cases.ok()) << cases.error().ToString();
  EXPECT_EQ(cases->size(), 2u);
  t.hidden.multiple_of["shape"] = "none";
  EXPECT_TRUE(HiddenCases(t, 3, 2, "hidden", reference).ok());
}
}  // namespace
}  // namespace akgen::task
