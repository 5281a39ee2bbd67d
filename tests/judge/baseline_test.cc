#include "judge/baseline.h"

#include <gtest/gtest.h>

namespace akgen::judge {
namespace {

// Round numbers: 1000 cycles a microsecond, 10 cores, 1000 B/us read; a byte that is written to memory takes twice as
// long, and L2 keeps 4000 of them.
sim::TimingParameters Simple() {
  sim::TimingParameters p;
  p.clock_mhz = 1000;
  p.hbm_rate = 1000, p.write_share = 2, p.l2_bytes = 4000;
  p.launch_us = 2, p.launch_core_us = 0.1, p.block_start = 1000;
  return p;
}
chip::Chip TenCores() {
  chip::Chip c;
  c.name = "test", c.aiv = 10;
  return c;
}
task::CaseDesc Case(int64_t in, int64_t out) {
  auto tensor = [](const char* name, int64_t n) {
    task::ParamDesc d;
    d.name = name;
    d.tensors = {{base::Dtype::kFloat32, {n}}};
    return d;
  };
  task::CaseDesc c;
  c.inputs = {tensor("x", in)};
  c.outputs = {tensor("y", out)};
  return c;
}
base::Json Tensor(const char* id) { return {{"t", id}}; }
base::Json Node(const char* op, const char* in, const char* out, int n) {
  return {{"op", op}, {"args", {Tensor(in)}}, {"out", {{{"id", out}, {"shape", {n}}, {"dtype", "Double"}}}}};
}

TEST(Baseline, WhatL2KeepsOfWritesIsFree) {
  // 4000 bytes in: 4 us. 4000 bytes out stay in L2; of 8000 half must reach memory: 8 us more.
  EXPECT_DOUBLE_EQ(BaselineOf(Case(1000, 100), {}, Simple(), TenCores()).bound_us, 4);
  EXPECT_DOUBLE_EQ(BaselineOf(Case(1000, 1000), {}, Simple(), TenCores()).bound_us, 4);
  EXPECT_DOUBLE_EQ(BaselineOf(Case(1000, 2000), {}, Simple(), TenCores()).bound_us, 12);
}

TEST(Baseline, EveryOperatorIsAKernelAndViewsAreFree) {
  base::Json graph{{"nodes", {Node("mul", "x", "a", 1000), Node("view", "a", "b", 1000), Node("exp", "b", "c", 1000)}},
                   {"outputs", {"c"}}};
  Baseline b = BaselineOf(Case(1000, 1000), graph, Simple(), TenCores());
  EXPECT_EQ(b.kernels, 2);
  EXPECT_TRUE(b.from_graph);
  EXPECT_DOUBLE_EQ(b.bound_us, 4);
  EXPECT_DOUBLE_EQ(b.eager_us, 2 * (2 + 1 + 4)) << "8000 bytes are one core's: launch 2, start 1, bytes 4";
  Baseline one = BaselineOf(Case(1000, 1000), base::Json(), Simple(), TenCores());
  EXPECT_FALSE(one.from_graph);
  EXPECT_EQ(one.kernels, 1);
  EXPECT_DOUBLE_EQ(one.eager_us, 3 + 4);
}

TEST(Baseline, WhatIsReadOfTheInputsCounts) {
  // A sum of 100,000 elements writes one: 400,000 bytes in, 400 us, by ten cores at 16,384 bytes each.
  base::Json sum{{"nodes", {Node("sum", "x", "a", 1)}}, {"outputs", {"a"}}};
  EXPECT_NEAR(BaselineOf(Case(100000, 1), sum, Simple(), TenCores()).eager_us, 2 + 9 * 0.1 + 1 + 400, 0.01);
  task::CaseDesc list = Case(100000, 1);
  list.inputs[0].kind = task::ParamKind::kList;
  list.inputs[0].tensors.push_back({base::Dtype::kFloat32, {50000}});
  base::Json second{{"nodes", {Node("sum", "x.1", "a", 1)}}, {"outputs", {"a"}}};
  EXPECT_NEAR(BaselineOf(list, second, Simple(), TenCores()).eager_us, 2 + 9 * 0.1 + 1 + 200, 0.01);
}

TEST(Baseline, ArithmeticBoundsWhatMovesLittle) {
  sim::TimingParameters p = Simple();
  p.hbm_rate = 1e9;
  base::Json graph{{"nodes", {Node("exp", "x", "a", 64000)}}, {"outputs", {"a"}}};
  EXPECT_DOUBLE_EQ(BaselineOf(Case(64000, 64000), graph, p, TenCores()).bound_us, 64000.0 / (32 * 10 * 1000));
}

TEST(Baseline, TheEstimatorIsNamedByWhatItDependsOn) {
  sim::TimingParameters p = Simple();
  std::string hash = EstimatorHash(p, TenCores());
  EXPECT_EQ(hash, EstimatorHash(p, TenCores()));
  p.hbm_rate += 1;
  EXPECT_NE(hash, EstimatorHash(p, TenCores()));
  chip::Chip other = TenCores();
  other.aiv = 20;
  EXPECT_NE(hash, EstimatorHash(Simple(), other));
}

}  // namespace
}  // namespace akgen::judge
