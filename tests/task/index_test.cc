#include "task/index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "task/describe.h"

namespace akgen::task {
namespace {
using base::Json;

// One input x of the given values, one int32 output of indices.
struct Made {
  TaskSpec task;
  CaseDesc c;
  TensorSet inputs;
};

Made Make(const std::string& dtype, const Json& shape, const Json& out_shape,
          const std::vector<float>& values, IndexSpec index) {
  Made m;
  ParamSpec x, y;
  x.name = "x", x.dtype = dtype, x.shape = shape, x.dist = {{"kind", "constant"}, {"value", 0}};
  y.name = "y", y.dtype = "int32", y.shape = out_shape;
  index.of = "x";
  y.index = index;
  m.task.name = "Made";
  m.task.inputs = {x}, m.task.outputs = {y};
  m.task.cases = {{"0", Json::object()}};
  auto c = ResolveCase(m.task, "0");
  EXPECT_TRUE(c) << c.error().ToString();
  if (!c) return m;
  m.c = *c;
  auto inputs = GenerateInputs(m.task, m.c, 1);
  m.inputs = std::move(*inputs);
  EXPECT_EQ(m.inputs.Bytes(0).size(), values.size() * 4);
  std::memcpy(m.inputs.Bytes(0).data(), values.data(), values.size() * 4);
  return m;
}

bool Right(const Made& m, const std::vector<int32_t>& out, const std::vector<int32_t>& truth) {
  auto bytes = [](const std::vector<int32_t>& v) {
    return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(v.data()), v.size() * 4);
  };
  auto r = CompareIndices(m.c, m.inputs, 0, bytes(out), bytes(truth));
  EXPECT_TRUE(r.has_value());
  return r && r->pass;
}

TEST(Indices, AnEqualElementWillDo) {
  Made m = Make("float32", {4}, {1}, {7, 3, 7, 1}, {.first = 1});
  EXPECT_TRUE(Right(m, {1}, {1}));
  EXPECT_TRUE(Right(m, {3}, {1})) << "the third is as large as the first";
  EXPECT_FALSE(Right(m, {2}, {1}));
  EXPECT_FALSE(Right(m, {0}, {1})) << "counted from 1";
  EXPECT_FALSE(Right(m, {5}, {1})) << "behind the end";
}

TEST(Indices, OneNanIsAsGoodAsAnother) {
  const float nan = std::nanf("");
  Made m = Make("float32", {4}, {1}, {nan, 3, nan, 1}, {});
  EXPECT_TRUE(Right(m, {2}, {0}));
  EXPECT_FALSE(Right(m, {1}, {0}));
}

TEST(Indices, MagnitudesAndParts) {
  Made real = Make("float32", {3}, {1}, {-7, 3, 7}, {.key = IndexKey::kMagnitude});
  EXPECT_TRUE(Right(real, {2}, {0}));
  Made value = Make("float32", {3}, {1}, {-7, 3, 7}, {});
  EXPECT_FALSE(Right(value, {2}, {0}));
  Made parts = Make("complex64", {3}, {1}, {3, -4, 0, 5, 7, 0}, {.key = IndexKey::kParts});
  EXPECT_TRUE(Right(parts, {2}, {0}));
  EXPECT_FALSE(Right(parts, {1}, {0}));
  Made magnitude = Make("complex64", {3}, {1}, {3, -4, 0, 5, 7, 0}, {.key = IndexKey::kMagnitude});
  EXPECT_TRUE(Right(magnitude, {1}, {0}));
  EXPECT_FALSE(Right(magnitude, {2}, {0}));
}

TEST(Indices, EveryOtherElement) {
  Made m = Make("float32", {6}, {1}, {1, 9, 5, 9, 5, 9}, {.first = 1, .stride = 2});
  EXPECT_TRUE(Right(m, {3}, {2}));
  EXPECT_FALSE(Right(m, {4}, {2})) << "there are three";
}

TEST(Indices, AlongAnAxisEachOnce) {
  // Two columns of three: 5 5 1 and 2 4 4; the two largest of each.
  Made m = Make("float32", {3, 2}, {2, 2}, {5, 2, 5, 4, 1, 4}, {.axis = 0});
  EXPECT_TRUE(Right(m, {0, 1, 1, 2}, {0, 1, 1, 2}));
  EXPECT_TRUE(Right(m, {1, 2, 0, 1}, {0, 1, 1, 2}))
      << "both columns have their equal elements exchanged";
  EXPECT_FALSE(Right(m, {0, 1, 0, 2}, {0, 1, 1, 2})) << "the first of column 0 is named twice";
  EXPECT_FALSE(Right(m, {0, 1, 1, 0}, {0, 1, 1, 2}));
  EXPECT_FALSE(Right(m, {0, 1, -1, 2}, {0, 1, 1, 2}));
}

TEST(Indices, OtherOutputsAreNoIndices) {
  Made m = Make("float32", {2}, {1}, {1, 2}, {});
  m.c.outputs[0].index.reset();
  int32_t v = 0;
  std::span<const uint8_t> b(reinterpret_cast<const uint8_t*>(&v), 4);
  EXPECT_FALSE(CompareIndices(m.c, m.inputs, 0, b, b));
}

TEST(Indices, TasksThatHaveThem) {
  for (const char* name : {"Icamax", "Icamin", "Isamax", "Isamin", "TopKV3"}) {
    auto t = LoadTask(name);
    ASSERT_TRUE(t) << t.error().ToString();
    for (const CaseRow& row : t->cases) {
      auto c = ResolveCase(*t, row);
      ASSERT_TRUE(c) << c.error().ToString();
      EXPECT_TRUE(c->outputs.back().index.has_value()) << name;
    }
  }
}

// What a candidate is told stands there for every task.
TEST(Describe, EveryTaskSaysWhatItAsksFor) {
  for (const TaskInfo& info : ListTasks()) {
    auto t = LoadTaskFolder(info.folder);
    ASSERT_TRUE(t) << t.error().ToString();
    std::string text = Describe(*t);
    EXPECT_GE(t->description.size(), 30u) << info.name;
    for (const auto& p : t->inputs)
      EXPECT_NE(text.find("\n  " + p.name + " : "), std::string::npos)
          << info.name << " " << p.name;
    for (const auto& p : t->outputs)
      EXPECT_NE(text.find("\n  " + p.name + " : "), std::string::npos)
          << info.name << " " << p.name;
    for (const auto& p : t->inputs) EXPECT_TRUE(p.dist.contains("kind")) << info.name;
    for (const CaseRow& row : t->cases)
      EXPECT_NE(text.find("\n  " + row.id + ": "), std::string::npos)
          << info.name << " case " << row.id;
    EXPECT_EQ(text.find(" : tensor \n"), std::string::npos)
        << info.name << " has a parameter without a dtype";
  }
}

// A task's own reference may be wrong: what it points at is not read beyond the input.
TEST(Indices, OfAReferenceThatPointsBeyondItsInput) {
  IndexSpec index;
  index.axis = 1;
  Made m = Make("float32", {2, 3}, {2, 1}, {1, 5, 2, 7, 0, 7}, index);
  for (const int32_t beyond : {3, -1, 1 << 30, INT32_MIN, INT32_MAX}) {
    const int32_t out[] = {1, 0}, ref[] = {1, beyond};
    auto r = CompareIndices(m.c, m.inputs, 0, {reinterpret_cast<const uint8_t*>(out), sizeof out},
                            {reinterpret_cast<const uint8_t*>(ref), sizeof ref});
    ASSERT_TRUE(r);
    EXPECT_FALSE(r->pass) << beyond;
  }
  ParamSpec y = m.task.outputs[0];
  y.index.stride = 0;
  m.task.outputs = {y};
  EXPECT_FALSE(ResolveCase(m.task, "0"));
}
}  // namespace
}  // namespace akgen::task
