// References as kernels of the framework, in more than one spelling.
#include "judge/time/eager_graph.h"

#include <gtest/gtest.h>

namespace akgen::judge {
namespace {
using base::Json;

// Builds graphs: values are named, each step reads some and makes one.
class Graph {
 public:
  explicit Graph(std::vector<int> shape = {64, 1024}) : shape_(std::move(shape)) {}
  Graph& In(const std::string& name, std::vector<int64_t> shape,
            base::Dtype dtype = base::Dtype::kFloat32) {
    task::ParamDesc d;
    d.name = name, d.tensors = {{dtype, std::move(shape)}};
    case_.inputs.push_back(d);
    return *this;
  }
  Graph& List(const std::string& name, int tensors) {
    task::ParamDesc d;
    d.name = name, d.kind = task::ParamKind::kList;
    for (int i = 0; i < tensors; ++i) d.tensors.push_back({base::Dtype::kFloat32, {64, 1024}});
    case_.inputs.push_back(d);
    return *this;
  }
  Graph& Op(const std::string& op, const std::string& out, const std::vector<std::string>& in) {
    return Small(op, out, in, shape_);
  }
  Graph& Small(const std::string& op, const std::string& out, const std::vector<std::string>& in,
               const std::vector<int>& shape) {
    Json args = Json::array();
    for (const std::string& i : in) args.push_back({{"t", i}});
    nodes_.push_back({{"op", op},
                      {"args", args},
                      {"out", {{{"id", out}, {"shape", shape}, {"dtype", "Double"}}}}});
    return *this;
  }
  std::vector<EagerLaunch> Launches(const std::vector<std::string>& outputs) const {
    return EagerLaunches(case_, record::GraphFromJson({{"nodes", nodes_}, {"outputs", outputs}}), 4,
                         *sim::LoadEager());
  }
  std::string Names(const std::vector<std::string>& outputs) const {
    std::string out;
    for (const EagerLaunch& l : Launches(outputs)) out += (out.empty() ? "" : " ") + l.name;
    return out;
  }

 private:
  std::vector<int> shape_;
  task::CaseDesc case_;
  Json nodes_ = Json::array();
};

const std::vector<int> kRows{64, 1};

Graph LayerNorm() {
  Graph g;
  g.In("x", {64, 1024}).In("w", {1024}).In("b", {1024});
  g.Small("mean", "m", {"x"}, kRows).Op("sub", "d", {"x", "m"}).Op("mul", "q", {"d", "d"});
  g.Small("mean", "v", {"q"}, kRows)
      .Small("add", "e", {"v"}, kRows)
      .Small("rsqrt", "r", {"e"}, kRows);
  g.Op("mul", "n", {"d", "r"}).Op("mul", "s", {"n", "w"}).Op("add", "y", {"s", "b"});
  return g;
}

TEST(EagerGraph, LayerNormIsOneKernelHoweverItIsSpelled) {
  const auto launches = LayerNorm().Launches({"y", "m", "r"});
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].name, "norm");
  EXPECT_TRUE(launches[0].kernel.reduces);
  EXPECT_DOUBLE_EQ(launches[0].kernel.elements, 65536);
  EXPECT_DOUBLE_EQ(launches[0].kernel.bytes, 4.0 * (65536 + 2048 + 65536 + 128))
      << "x, weights, y, m and r: once each";
  Graph g;
  g.In("x", {64, 1024})
      .Small("var", "v", {"x"}, kRows)
      .Small("mean", "m", {"x"}, kRows)
      .Op("sub", "d", {"x", "m"});
  g.Small("add", "e", {"v"}, kRows).Small("sqrt", "r", {"e"}, kRows).Op("div", "y", {"d", "r"});
  EXPECT_EQ(g.Names({"y"}), "norm");
}

TEST(EagerGraph, WhatComesBeforeAndAfterIsItsOwn) {
  Graph g = LayerNorm();
  g.Op("sigmoid", "g", {"y"}).Op("mul", "z", {"y", "g"}).Op("exp", "a", {"z"});
  EXPECT_EQ(g.Names({"a"}), "norm silu exp");
}

TEST(EagerGraph, SoftmaxInParts) {
  Graph g;
  g.In("x", {64, 1024})
      .Small("amax", "m", {"x"}, kRows)
      .Op("sub", "d", {"x", "m"})
      .Op("exp", "e", {"d"});
  g.Small("sum", "s", {"e"}, kRows).Op("div", "y", {"e", "s"});
  EXPECT_EQ(g.Names({"y"}), "softmax");
}

TEST(EagerGraph, GeluByErfAndByTanh) {
  Graph erf;
  erf.In("x", {64, 1024})
      .Op("mul", "h", {"x"})
      .Op("mul", "s", {"x"})
      .Op("erf", "e", {"s"})
      .Op("add", "o", {"e"});
  EXPECT_EQ(erf.Op("mul", "y", {"h", "o"}).Names({"y"}), "gelu");
  Graph tanh;
  tanh.In("x", {64, 1024})
      .Op("pow", "c", {"x"})
      .Op("mul", "k", {"c"})
      .Op("add", "a", {"x", "k"})
      .Op("mul", "s", {"a"});
  tanh.Op("tanh", "t", {"s"}).Op("add", "o", {"t"}).Op("mul", "h", {"x"});
  EXPECT_EQ(tanh.Op("mul", "y", {"h", "o"}).Names({"y"}), "gelu");
}

TEST(EagerGraph, OperatorsThatTheFrameworkDoesNotFuseAreTheirOwn) {
  Graph g;
  g.In("x", {64, 1024}).Op("exp", "a", {"x"}).Op("sin", "b", {"a"}).Op("abs", "c", {"b"});
  EXPECT_EQ(g.Names({"c"}), "exp sin abs");
  EXPECT_EQ(Graph().In("x", {64, 1024}).Op("view", "v", {"x"}).Op("exp", "y", {"v"}).Names({"y"}),
            "exp");
}

TEST(EagerGraph, AListIsOneLaunch) {
  Graph g;
  g.List("x", 3);
  for (const char* i : {"0", "1", "2"}) g.Op("exp", std::string("y") + i, {std::string("x.") + i});
  const auto launches = g.Launches({"y0", "y1", "y2"});
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_DOUBLE_EQ(launches[0].kernel.bytes, 3 * 2 * 4.0 * 65536);
}

TEST(EagerGraph, AnInputOfAnotherTypeIsConverted) {
  Graph g;
  g.In("x", {64, 1024}).In("mask", {64, 1024}, base::Dtype::kInt8).Op("mul", "y", {"x", "mask"});
  EXPECT_EQ(g.Names({"y"}), "cast mul");
  Graph same;
  same.In("x", {64, 1024}).In("mask", {64, 1024}).Op("mul", "y", {"x", "mask"});
  EXPECT_EQ(same.Names({"y"}), "mul");
}

}  // namespace
}  // namespace akgen::judge
