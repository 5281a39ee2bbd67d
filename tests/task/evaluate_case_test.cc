// How tensors and attributes of a case become values that a script is evaluated with, and its
// results the outputs: by dtype, at the limits of each.
#include "task/evaluate_case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "task/evaluate/tensor.h"

namespace akgen::task::evaluate {
namespace {
using base::Dtype;
using base::Json;
using record::ScriptBlock;
using record::ScriptNode;

template <class T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}
ParamDesc Param(Dtype dtype, std::vector<int64_t> shape) {
  ParamDesc p;
  p.tensors = {{dtype, std::move(shape)}};
  return p;
}

// One input x, as value 0; an attribute, where there is one, as value 1.
struct Case {
  CaseDesc c;
  std::vector<std::vector<uint8_t>> inputs;
  ScriptBlock script{{0}, {0}, {}};

  Case(Dtype in, std::vector<uint8_t> bytes, Dtype out) {
    const int64_t n = int64_t(bytes.size()) / base::SizeOf(in);
    c.inputs = {Param(in, {n})}, c.outputs = {Param(out, {n})};
    inputs = {std::move(bytes)};
  }
  // The outputs' bytes; nothing: it is left to libtorch.
  std::vector<uint8_t> Bytes(const Nudge& nudge = {}) const {
    TensorSet set;
    set.tensors = Flatten(c.inputs), set.layout = LayoutOf(set.tensors);
    set.memory = std::move(*base::SharedMemory::Create("akgen-test", set.layout.bytes));
    for (size_t i = 0; i < inputs.size(); ++i)
      std::copy(inputs[i].begin(), inputs[i].end(), set.Bytes(i).begin());
    try {
      const TensorSet out = EvaluateCase(script, c, set, nudge);
      return {out.Bytes(0).begin(), out.Bytes(0).end()};
    } catch (const Unsupported&) {
      return {};
    }
  }
  Case& With(const std::string& type, const Json& value, std::vector<ScriptNode> nodes) {
    c.attrs = {{"a", type, value}};
    script = {{0, 1}, nodes.back().out, std::move(nodes)};
    return *this;
  }
};
ScriptNode Node(const std::string& op, std::vector<int> in, int out) {
  ScriptNode node;
  node.op = op;
  for (int v : in) node.in.push_back(decltype(node.in)::value_type(v));
  node.out = {decltype(node.out)::value_type(out)};
  return node;
}
ScriptNode Constant(int64_t value, int out) {
  ScriptNode node = Node("Constant", {}, out);
  node.value = value;
  return node;
}

TEST(EvaluateCase, EveryDtypeComesBackAsItWas) {
  const std::pair<Dtype, std::vector<uint8_t>> rows[] = {
      {Dtype::kFloat64, BytesOf<double>({0.1, -1e300, INFINITY})},
      {Dtype::kFloat32, BytesOf<float>({0.1f, -1e30f, INFINITY})},
      {Dtype::kFloat16, BytesOf<uint16_t>({0x2e66, 0xfbff, 0x7c00, 0x0001})},
      {Dtype::kBfloat16, BytesOf<uint16_t>({0x3dcd, 0xff7f, 0x7f80, 0x0001})},
      {Dtype::kInt8, BytesOf<int8_t>({-128, 127, 0})},
      {Dtype::kUint8, BytesOf<uint8_t>({0, 128, 255})},
      {Dtype::kInt16, BytesOf<int16_t>({-32768, 32767})},
      {Dtype::kInt32, BytesOf<int32_t>({INT32_MIN, INT32_MAX})},
      {Dtype::kInt64, BytesOf<int64_t>({INT64_MIN, INT64_MAX, 1})},
      {Dtype::kBool, BytesOf<uint8_t>({0, 1, 1})}};
  for (const auto& [dtype, bytes] : rows)
    EXPECT_EQ(Case(dtype, bytes, dtype).Bytes(), bytes) << base::NameOf(dtype);
  for (Dtype dtype : {Dtype::kUint16, Dtype::kUint32, Dtype::kUint64, Dtype::kComplex64})
    EXPECT_TRUE(Case(dtype, std::vector<uint8_t>(8), dtype).Bytes().empty()) << base::NameOf(dtype);
}

TEST(EvaluateCase, ResultsAreRoundedOnce) {
  const auto third = BytesOf<double>({1.0 / 3});
  EXPECT_EQ(Case(Dtype::kFloat64, third, Dtype::kFloat32).Bytes(), BytesOf<float>({1.0f / 3}));
  EXPECT_EQ(Case(Dtype::kFloat64, third, Dtype::kFloat16).Bytes(), BytesOf<uint16_t>({0x3555}));
  EXPECT_EQ(Case(Dtype::kFloat64, third, Dtype::kBfloat16).Bytes(), BytesOf<uint16_t>({0x3eab}));
  // 1 + 2^-11 + 2^-40 is above the middle of two halves, and its float is the middle.
  const auto above = BytesOf<double>({1 + 0x1p-11 + 0x1p-40});
  EXPECT_EQ(Case(Dtype::kFloat64, above, Dtype::kFloat16).Bytes(), BytesOf<uint16_t>({0x3c01}));
  const std::pair<int32_t, bool> whole[] = {
      {1 << 24, true}, {-(1 << 24), true}, {(1 << 24) + 1, false}, {-(1 << 24) - 1, false}};
  for (const auto& [v, taken] : whole) {
    const auto out = Case(Dtype::kInt32, BytesOf<int32_t>({v}), Dtype::kFloat32).Bytes();
    EXPECT_EQ(out, taken ? BytesOf<float>({float(v)}) : std::vector<uint8_t>()) << v;
  }
  EXPECT_EQ(Case(Dtype::kFloat32, BytesOf<float>({2, -3}), Dtype::kInt32).Bytes(),
            BytesOf<int32_t>({2, -3}));
  EXPECT_EQ(Case(Dtype::kInt32, BytesOf<int32_t>({2, -3}), Dtype::kInt64).Bytes(),
            BytesOf<int64_t>({2, -3}));
  EXPECT_TRUE(Case(Dtype::kFloat32, BytesOf<float>({1e30f}), Dtype::kInt32).Bytes().empty());
}

TEST(EvaluateCase, AttributesByTheirType) {
  const auto x = BytesOf<double>({1, 2, 3, 4});
  const auto run = [&] { return Case(Dtype::kFloat64, x, Dtype::kFloat64); };
  const std::vector<ScriptNode> times = {Node("mul", {0, 1}, 2)};
  EXPECT_EQ(run().With("int", 3, times).Bytes(), BytesOf<double>({3, 6, 9, 12}));
  EXPECT_EQ(run().With("bool", true, times).Bytes(), x);
  EXPECT_EQ(run().With("float", 0.1, times).Bytes()[0], BytesOf<double>({double(0.1f)})[0])
      << "single precision, as it reaches a kernel";
  EXPECT_EQ(run().With("string", "none", {Node("gelu", {0, 1}, 2)}).Bytes().size(), x.size());
  EXPECT_TRUE(run().With("string", "else", {Node("gelu", {0, 1}, 2)}).Bytes().empty());
  const auto entry = [&](const char* type, const Json& list, int at) {
    return run()
        .With(type, list, {Constant(at, 2), Node("__getitem__", {1, 2}, 3), Node("mul", {0, 3}, 4)})
        .Bytes();
  };
  EXPECT_EQ(entry("list_int", {5, 7}, 1), BytesOf<double>({7, 14, 21, 28}));
  EXPECT_EQ(entry("list_float", {0.5, 2.5}, 1), BytesOf<double>({2.5, 5, 7.5, 10}));
  EXPECT_EQ(entry("list_float", {0.1}, 0),
            BytesOf<double>({double(0.1f), 2 * double(0.1f), 3 * double(0.1f), 4 * double(0.1f)}));
  EXPECT_EQ(entry("list_int", {true, false}, 0), x);
  EXPECT_EQ(run()
                .With("list_int", {{1, 2}, {3, 4}},
                      {Constant(1, 2), Constant(0, 3), Node("__getitem__", {1, 2}, 4),
                       Node("__getitem__", {4, 3}, 5), Node("mul", {0, 5}, 6)})
                .Bytes(),
            BytesOf<double>({3, 6, 9, 12}))
      << "lists of lists";
}

TEST(EvaluateCase, InputsThatAreListsOrLeftOut) {
  Case run(Dtype::kFloat64, BytesOf<double>({1, 2}), Dtype::kFloat64);
  run.c.inputs[0].kind = ParamKind::kList;
  run.c.inputs[0].tensors.push_back({Dtype::kFloat64, {1}});
  run.inputs.push_back(BytesOf<double>({3}));
  run.c.outputs[0].tensors[0].shape = {3};
  run.script = {{0}, {2}, {Constant(0, 1), Node("cat", {0, 1}, 2)}};
  EXPECT_EQ(run.Bytes(), BytesOf<double>({1, 2, 3}));
  run.c.outputs[0].tensors[0].shape = {4};
  EXPECT_TRUE(run.Bytes().empty()) << "a result of another shape";
  run.c.outputs.push_back(run.c.outputs[0]);
  EXPECT_TRUE(run.Bytes().empty()) << "a result too few";
  Case out(Dtype::kFloat64, BytesOf<double>({-1, 2}), Dtype::kFloat64);
  out.c.inputs.insert(out.c.inputs.begin(), ParamDesc());
  out.c.inputs[0].present = false;
  out.script = {{0, 1}, {3}, {Constant(1, 2), Node("clamp", {1, 0, 2}, 3)}};
  EXPECT_EQ(out.Bytes(), BytesOf<double>({-1, 1}));
  std::swap(out.script.nodes[1].in[1], out.script.nodes[1].in[2]);
  EXPECT_EQ(out.Bytes(), BytesOf<double>({1, 2}));
}

TEST(EvaluateCase, NudgesMoveRealElementsAlone) {
  const auto x = BytesOf<float>({1, 2, 3, 4});
  Nudge nudge;
  EXPECT_EQ(Case(Dtype::kFloat32, x, Dtype::kFloat32).Bytes(nudge), x);
  nudge.by = 0.01;
  const auto moved = Case(Dtype::kFloat32, x, Dtype::kFloat32).Bytes(nudge);
  ASSERT_EQ(moved.size(), x.size());
  for (size_t i = 0; i < 4; ++i) {
    float was, is;
    std::memcpy(&was, &x[4 * i], 4), std::memcpy(&is, &moved[4 * i], 4);
    EXPECT_LE(std::fabs(is - was), 0.0101f * was) << i;
  }
  EXPECT_NE(moved, x);
  const auto n = BytesOf<int32_t>({1, 2, 3, 4});
  EXPECT_EQ(Case(Dtype::kInt32, n, Dtype::kInt32).Bytes(nudge), n);
}
}  // namespace
}  // namespace akgen::task::evaluate
