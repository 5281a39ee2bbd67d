// What the tiling function is told about a case: values only of inputs that the definition declares as needed.
#include <gtest/gtest.h>

#include <cstring>

#include "judge/pack.h"

namespace akgen::judge {
namespace {
using base::Json;

task::ParamDesc Param(const char* name, base::Dtype dtype, std::vector<int64_t> shape) {
  task::ParamDesc p;
  p.name = name;
  p.tensors.push_back({dtype, std::move(shape)});
  return p;
}

ParamDefinition Depends(bool value, bool scalar) {
  ParamDefinition p;
  p.value_depend = value, p.scalar = scalar;
  return p;
}
ParamDefinition Columns(std::vector<int> dtypes, std::vector<int> formats = {}, const char* name = "x") {
  return {name, std::move(dtypes), std::move(formats)};
}
// Of two inputs, of which nothing is known.
const OperatorDefinition kTwoInputs{"Fill", {{}, {}}, {}, {}, {}, {}};

struct Request {
  task::TaskSpec task;
  task::CaseDesc c;
  task::TensorSet inputs;
  Request() {
    c.inputs = {Param("dims", base::Dtype::kInt64, {2}), Param("value", base::Dtype::kFloat32, {1})};
    c.outputs = {Param("y", base::Dtype::kFloat32, {3, 5})};
    task.inputs.resize(2);
    task.inputs[0].dist = task.inputs[1].dist = {{"kind", "values"}};
    inputs.tensors = task::Flatten(c.inputs);
    inputs.layout = task::LayoutOf(inputs.tensors);
    inputs.memory = std::move(base::SharedMemory::Create("pack-test", inputs.layout.bytes).value());
    const int64_t dims[2] = {3, 5};
    const float value = 1.0f;
    std::memcpy(inputs.Bytes(0).data(), dims, sizeof dims);
    std::memcpy(inputs.Bytes(1).data(), &value, sizeof value);
  }
  Json Tile(const ParamDefinition& dims, const ParamDefinition& value) {
    const OperatorDefinition op{"Fill", {dims, value}, {}, {}, {}, {}};
    return ToJson(TileRequestOf(task, op, c, inputs, chip::LoadChip().value()));
  }
};

TEST(TileRequest, ShowsValuesOfInputsTheTilingDependsOn) {
  Request r;
  const ParamDefinition plain = Depends(false, false);
  Json request = r.Tile(Depends(true, false), plain);
  EXPECT_EQ(request["inputs"][0]["data"], "03000000000000000500000000000000");
  EXPECT_FALSE(request["inputs"][1].contains("data"));
  EXPECT_EQ(request["inputs"][1]["shape"], Json({1}));
  EXPECT_EQ(request["outputs"][0]["shape"], Json({3, 5}));
}

TEST(TileRequest, ShowsHostScalars) {
  Request r;
  const ParamDefinition plain = Depends(false, false);
  Json request = r.Tile(plain, Depends(false, true));
  EXPECT_FALSE(request["inputs"][0].contains("data"));
  EXPECT_EQ(request["inputs"][1]["data"], "0000803f");
}

TEST(TileRequest, NeverShowsDrawnData) {
  Request r;
  r.task.inputs[0].dist = r.task.inputs[1].dist = {{"kind", "normal"}};
  const ParamDefinition depends = Depends(true, true);
  Json request = r.Tile(depends, depends);
  EXPECT_FALSE(request["inputs"][0].contains("data"));
  EXPECT_FALSE(request["inputs"][1].contains("data"));
  r.task.inputs[1].kind = task::ParamKind::kScalar;  // a plain number of the operator library
  EXPECT_TRUE(r.Tile(depends, depends)["inputs"][1].contains("data"));
}

// The launch reports undefined bytes of regions with the role output only.
TEST(Pack, AnOutputThatIsNotComparedMayStayUndefined) {
  Request r;
  r.c.outputs.push_back(Param("z", base::Dtype::kFloat32, {1}));
  r.c.outputs[1].compared = false;
  auto packed = Pack(kTwoInputs, r.c, r.inputs);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->regions[0].role, sim::Role::kOutput);
  EXPECT_EQ(packed->regions[1].role, sim::Role::kInout);
  EXPECT_TRUE(packed->flat_outputs[0].compared);
  EXPECT_FALSE(packed->flat_outputs[1].compared);
  EXPECT_EQ(packed->args[3].regions, std::vector<size_t>{1});
}

// The host sees the format that the definition gives for this combination of dtypes and rank.
TEST(TileRequest, TakesFormatsFromTheDefinition) {
  Request r;
  ParamDefinition first = Columns({9, 9, 9}, {2, 2, 1});
  const ParamDefinition second = Columns({0, 0, 0}, {30, 29, 2});
  EXPECT_EQ(r.Tile(first, second)["inputs"][1]["format"], 29);  // NCDHW needs rank 5
  first.dtypes = {3, 3, 3};
  EXPECT_EQ(r.Tile(first, second)["inputs"][0]["format"], 2);  // no such combination: ND
}

// A kernel is built for a column of dtypes; what the caller leaves out has the column's.
TEST(KernelPrelude, WhatIsLeftOutHasTheColumnsDtype) {
  Request r;
  r.c.inputs[0].tensors.clear();
  OperatorDefinition op{
      "Fill", {Columns({0, 1}, {}, "dims"), Columns({9, int(base::Dtype::kFloat32)}, {}, "value")}, {}, {}, {}, {}};
  EXPECT_NE(KernelPrelude({}, op, r.c).find("#define DTYPE_DIMS half\n"), std::string::npos)
      << KernelPrelude({}, op, r.c);
  op.inputs[1].dtypes = {9, 9};
  EXPECT_NE(KernelPrelude({}, op, r.c).find("#define DTYPE_DIMS float\n"), std::string::npos)
      << "no column fits: the first";
}

// The kernel writes the shape of an output it sizes itself; the operator has no such output.
TEST(TileRequest, LeavesOutTheShapeOfAnOutput) {
  Request r;
  r.c.outputs.push_back(Param("shapeout", base::Dtype::kInt64, {2}));
  r.c.outputs[1].is_shape = true;
  const ParamDefinition plain = Depends(false, false);
  EXPECT_EQ(r.Tile(plain, plain)["outputs"].size(), 1u);
  auto packed = Pack(kTwoInputs, r.c, r.inputs);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->args[3].regions, std::vector<size_t>{1});
}

// Kernels that add to an output find zeros there, which count as written.
TEST(Pack, AZeroedOutputStartsDefined) {
  Request r;
  r.c.outputs[0].zeroed = true;
  auto packed = Pack(kTwoInputs, r.c, r.inputs);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->regions[0].role, sim::Role::kInout);
  for (size_t i = 0; i < r.c.outputs[0].tensors[0].Bytes(); ++i) EXPECT_EQ(packed->outputs.data()[i], 0);
}

}  // namespace
}  // namespace akgen::judge
