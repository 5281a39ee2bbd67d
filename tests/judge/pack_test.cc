// What the tiling function is told about a case: values only of inputs that the definition declares
// as needed.
#include <gtest/gtest.h>

#include <cstring>

#include "judge/host/blocked.h"
#include "judge/host/requests.h"
#include "judge/run/pack.h"

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
ParamDefinition Columns(std::vector<int> dtypes, std::vector<int> formats = {},
                        const char* name = "x") {
  return {name, std::move(dtypes), std::move(formats)};
}
// Of two inputs, of which nothing is known.
const OperatorDefinition kTwoInputs{"Fill", {{}, {}}, {}, {}, {}, {}};

struct Request {
  task::TaskSpec task;
  task::CaseDesc c;
  task::TensorSet inputs;
  Request() {
    c.inputs = {Param("dims", base::Dtype::kInt64, {2}),
                Param("value", base::Dtype::kFloat32, {1})};
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
    return TileRequestOf(task, op, c, inputs, chip::LoadChip().value());
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

// Four bits and blocks: the host sees what they stand for, the kernel is compiled for it.
TEST(TileRequest, TellsWhatTheMemoryStandsFor) {
  Request r;
  r.c.inputs[1] = Param("value", base::Dtype::kInt8, {1, 2, 16, 32});
  r.c.inputs[1].declared =
      task::Declared{task::kInt4, 29, task::kFormatNd, {30, 64}, {1, 2, 16, 64}};
  const ParamDefinition first = Columns({9, 9}, {2, 2}, "dims");
  const Json value = r.Tile(first, Columns({29, 29}, {2, 29}, "value"))["inputs"][1];
  EXPECT_EQ(value["shape"], Json({30, 64}));
  EXPECT_EQ(value["storage_shape"], Json({1, 2, 16, 64}));
  EXPECT_EQ(value["dtype"], 29);
  EXPECT_EQ(value["format"], 29);
  const OperatorDefinition op{"Fill", {first, Columns({29, 29}, {2, 29}, "value")}, {}, {}, {}, {}};
  const std::string prelude = KernelPrelude({}, op, r.c);
  EXPECT_NE(prelude.find("#define DTYPE_VALUE int4b_t\n#define ORIG_DTYPE_VALUE DT_INT4\n#define "
                         "FORMAT_VALUE 29\n"),
            std::string::npos)
      << prelude;
  EXPECT_EQ(task::Flatten(r.c.inputs)[1].Bytes(), 1024u);
}

// A kernel is built for a column of dtypes; what the caller leaves out has the column's.
TEST(KernelPrelude, WhatIsLeftOutHasTheColumnsDtype) {
  Request r;
  r.c.inputs[0].tensors.clear();
  OperatorDefinition op{
      "Fill", {Columns({0, 1}, {}, "dims"), Columns({9, int(base::Dtype::kFloat32)}, {}, "value")},
      {},     {},
      {},     {}};
  EXPECT_NE(KernelPrelude({}, op, r.c).find("#define DTYPE_DIMS half\n"), std::string::npos)
      << KernelPrelude({}, op, r.c);
  op.inputs[1].dtypes = {9, 9};
  EXPECT_NE(KernelPrelude({}, op, r.c).find("#define DTYPE_DIMS float\n"), std::string::npos)
      << "no column fits: the first";
}

// Of a tensor in a blocked format the host sees both shapes and formats; it decides which column of
// the definition is meant.
TEST(TileRequest, TellsBlockedFormats) {
  Request r;
  r.c.inputs = {Param("x", base::Dtype::kFloat16, {1, 2, 1, 3, 4, 16})};
  r.c.inputs[0].declared = task::Declared{1, 32, 30, {1, 10, 2, 3, 4}, {1, 2, 1, 3, 4, 16}};
  const OperatorDefinition op{"Conv",
                              {Columns({1, 1}, {30, 32}, "x"), Columns({1, 1}, {30, 33}, "w")},
                              {Columns({0, 0}, {2, 2}, "y")},
                              {},
                              {},
                              {}};
  const Json x =
      Json(TileRequestOf(r.task, op, r.c, r.inputs, chip::LoadChip().value()))["inputs"][0];
  EXPECT_EQ(x["shape"], Json({1, 10, 2, 3, 4}));
  EXPECT_EQ(x["storage_shape"], Json({1, 2, 1, 3, 4, 16}));
  EXPECT_EQ(x["format"], 32);
  EXPECT_EQ(x["origin_format"], 30);
  EXPECT_NE(KernelPrelude({}, op, r.c).find("#define FORMAT_W 33\n"), std::string::npos);
}

// Where inputs alone leave several columns, the outputs decide.
TEST(TileRequest, FindsTheColumnByOutputs) {
  Request r;
  r.c.outputs = {Param("y", base::Dtype::kFloat32, {1, 2, 1, 3, 4, 8})};
  r.c.outputs[0].declared = task::Declared{0, 32, 30, {1, 8, 2, 3, 4}, {1, 2, 1, 3, 4, 8}};
  const OperatorDefinition op{"Op",
                              {Columns({9, 9}, {}, "dims"), Columns({0, 0}, {}, "value")},
                              {Columns({0, 0}, {30, 32}, "y")},
                              {},
                              {},
                              {}};
  const auto output = [&] {
    return Json(TileRequestOf(r.task, op, r.c, r.inputs, chip::LoadChip().value()))["outputs"][0];
  };
  EXPECT_EQ(output()["format"], 32);
  r.c.outputs = {Param("y", base::Dtype::kFloat32, {1, 2, 3, 4, 8})};
  EXPECT_EQ(output()["format"], 30);
}

std::vector<size_t> Kept(const task::TensorDesc& tensor, const char* format, const char* of,
                         const std::vector<int64_t>& origin) {
  std::vector<uint8_t> bytes(tensor.Bytes(), 1);
  ClearFilling(bytes, tensor,
               {int(tensor.dtype), FormatOfName(format).value(), FormatOfName(of).value(), origin,
                tensor.shape});
  std::vector<size_t> out;
  for (size_t at = 0; at < bytes.size(); at += tensor.Bytes() / size_t(tensor.Numel()))
    if (bytes[at]) out.push_back(at / (tensor.Bytes() / size_t(tensor.Numel())));
  return out;
}

TEST(ClearFilling, LeavesTheElementsOfTheOrigin) {
  // Five channels in blocks of four, one depth and one row of two columns.
  const task::TensorDesc image{base::Dtype::kFloat32, {1, 1, 2, 1, 2, 4}};
  const auto five = Kept(image, "NDC1HWC0", "NCDHW", {1, 5, 1, 1, 2});
  EXPECT_EQ(five, (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 12}));
  EXPECT_EQ(Kept(image, "NDC1HWC0", "NDHWC", {1, 1, 1, 2, 5}), five);
  EXPECT_EQ(Kept(image, "NC1HWC0", "NCDHW", {1, 5, 1, 1, 2}).size(), 16u) << "another format";
  EXPECT_EQ(Kept(image, "NDC1HWC0", "NCDHW", {1, 9, 1, 1, 2}).size(), 16u) << "not of this shape";
  constexpr int64_t kMuch = 1000000000000;
  EXPECT_EQ(Kept(image, "NDC1HWC0", "NCDHW", {kMuch, kMuch, kMuch, kMuch, kMuch}).size(), 16u);
  EXPECT_EQ(Kept(image, "NDC1HWC0", "NCDHW", {1, 5, 1, 0, 2}).size(), 16u) << "empty";
  // Three of four results, five channels, two taps: (tap, result, channel) by blocks of channels.
  const task::TensorDesc filter{base::Dtype::kFloat16, {4, 1, 4, 4}};
  EXPECT_EQ(Kept(filter, "FRACTAL_Z_3D", "NCDHW", {3, 5, 1, 1, 2}),
            (std::vector<size_t>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 16, 17, 18,
                                 19, 20, 21, 22, 23, 24, 25, 26, 27, 32, 36, 40, 48, 52, 56}));
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
  for (size_t i = 0; i < r.c.outputs[0].tensors[0].Bytes(); ++i)
    EXPECT_EQ(packed->outputs.data()[i], 0);
}

// Where tiling calls SetNeedAtomic, outputs start with what InitValue says; elsewhere nothing has
// written them.
TEST(Pack, AnOutputStartsWithItsInitValueWhereTilingAsks) {
  Request r;
  OperatorDefinition op = kTwoInputs;
  op.outputs.resize(1);
  op.outputs[0].init_value = 3;
  auto packed = Pack(op, r.c, r.inputs, true);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->regions[0].role, sim::Role::kInout);
  for (int64_t i = 0; i < r.c.outputs[0].tensors[0].Numel(); ++i) {
    float value = 0;
    std::memcpy(&value,
                packed->outputs.data() + packed->regions[0].offset + size_t(i) * sizeof value,
                sizeof value);
    EXPECT_EQ(value, 3.0f);
  }
  EXPECT_EQ(Pack(op, r.c, r.inputs)->regions[0].role, sim::Role::kOutput);
  op.outputs[0].init_value.reset();
  EXPECT_EQ(Pack(op, r.c, r.inputs, true)->regions[0].role, sim::Role::kOutput);
}

}  // namespace
}  // namespace akgen::judge
