#include "judge/time/baseline.h"

#include <gtest/gtest.h>

namespace akgen::judge {
namespace {

// Round numbers: 1000 cycles a microsecond, 10 cores, 1000 B/us read; a byte that is written to
// memory takes twice as long, and L2 keeps 4000 of them.
sim::TimingParameters Simple() {
  sim::TimingParameters p;
  p.clock_mhz = 1000;
  p.hbm_rate = 1000, p.write_share = 2, p.l2_bytes = 4000;
  p.launch_us = 2, p.launch_core_us = 0.1, p.block_start = 1000;
  p.eager_efficiency = 0.5, p.eager_vector = 1, p.eager_reduce_us = 10;
  return p;
}
sim::EagerTable Table() { return *sim::LoadEager(); }
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
  return {{"op", op},
          {"args", {Tensor(in)}},
          {"out", {{{"id", out}, {"shape", {n}}, {"dtype", "Double"}}}}};
}

TEST(Baseline, WhatL2KeepsOfWritesIsFree) {
  // 4000 bytes in: 4 us. 4000 bytes out stay in L2; of 8000 half must reach memory: 8 us more.
  EXPECT_DOUBLE_EQ(BaselineOf(Case(1000, 100), nullptr, Simple(), Table(), TenCores()).bound_us, 4);
  EXPECT_DOUBLE_EQ(BaselineOf(Case(1000, 1000), nullptr, Simple(), Table(), TenCores()).bound_us,
                   4);
  EXPECT_DOUBLE_EQ(BaselineOf(Case(1000, 2000), nullptr, Simple(), Table(), TenCores()).bound_us,
                   12);
}

// 2 us, nine further cores 0.1 each, a start of 1 us.
constexpr double kEmpty = 2 + 0.9 + 1;

TEST(Baseline, EveryOperatorIsAKernelAndViewsAreFree) {
  const record::Graph graph = record::GraphFromJson(
      {{"nodes",
        {Node("mul", "x", "a", 1000), Node("view", "a", "b", 1000), Node("exp", "b", "c", 1000)}},
       {"outputs", {"c"}}});
  Baseline b = BaselineOf(Case(1000, 1000), &graph, Simple(), Table(), TenCores());
  EXPECT_EQ(b.kernels, 2);
  EXPECT_TRUE(b.from_graph);
  EXPECT_DOUBLE_EQ(b.bound_us, 4);
  // 8000 bytes at 500 B/us; one instruction over 1000 elements by ten cores at 64 a cycle, exp
  // takes two.
  const double pass = 1000.0 / (64 * 10 * 1000);
  EXPECT_DOUBLE_EQ(b.eager_us, 2 * (kEmpty + 16) + 3 * pass);
  Baseline one = BaselineOf(Case(1000, 1000), nullptr, Simple(), Table(), TenCores());
  EXPECT_FALSE(one.from_graph);
  EXPECT_EQ(one.kernels, 1);
  EXPECT_DOUBLE_EQ(one.eager_us, kEmpty + 16 + pass);
}

// With memory that costs nothing the bound is arithmetic: of the larger of what a node reads and
// writes, at 64 elements a cycle of ten cores, half as many for a slow one; two cheap ones may be
// one instruction.
TEST(Baseline, TheBoundIsArithmeticWhereMemoryIsFree) {
  sim::TimingParameters p = Simple();
  p.hbm_rate = 1e12;
  struct Row {
    const char* op;
    int in, out;
    base::Dtype dtype;
    double us;
  };
  const double one = 1.0 / (64 * 10 * 1000);
  for (const Row& row : {Row{"mul", 1000, 1000, base::Dtype::kFloat32, 500 * one},
                         Row{"mul", 1000, 3000, base::Dtype::kFloat32, 1500 * one},
                         Row{"sum", 1000, 1, base::Dtype::kFloat32, 500 * one},
                         Row{"exp", 1000, 1000, base::Dtype::kFloat32, 2000 * one},
                         Row{"mul", 1000, 1000, base::Dtype::kFloat16, 250 * one},
                         Row{"exp", 1000, 1000, base::Dtype::kFloat16, 2000 * one}}) {
    const record::Graph graph =
        record::GraphFromJson({{"nodes", {Node(row.op, "x", "a", row.out)}}, {"outputs", {"a"}}});
    task::CaseDesc c = Case(row.in, row.out);
    c.inputs[0].tensors[0].dtype = row.dtype;
    EXPECT_NEAR(BaselineOf(c, &graph, p, Table(), TenCores()).bound_us, row.us, 1e-6)
        << row.op << " " << row.out;
  }
}

TEST(Baseline, WhatIsReadOfTheInputsCounts) {
  // A sum of 100,000 elements writes one: 400,004 bytes at 500 B/us; it reduces.
  const record::Graph sum =
      record::GraphFromJson({{"nodes", {Node("sum", "x", "a", 1)}}, {"outputs", {"a"}}});
  const double compute = 100000.0 / (64 * 10 * 1000);
  EXPECT_NEAR(BaselineOf(Case(100000, 1), &sum, Simple(), Table(), TenCores()).eager_us,
              kEmpty + 10 + 800.008 + compute, 1e-6);
}

TEST(Baseline, ArithmeticBoundsWhatMovesLittle) {
  sim::TimingParameters p = Simple();
  p.hbm_rate = 1e9;
  const record::Graph graph =
      record::GraphFromJson({{"nodes", {Node("exp", "x", "a", 64000)}}, {"outputs", {"a"}}});
  EXPECT_DOUBLE_EQ(BaselineOf(Case(64000, 64000), &graph, p, Table(), TenCores()).bound_us,
                   64000.0 / (32 * 10 * 1000));
}

TEST(Baseline, ItsRangeIsThatOfItsKernels) {
  sim::TimingErrors errors;
  errors.eager["below 2^16"] = {0.5, 2}, errors.eager["2^16 to 2^22"] = {0.9, 1.1};
  const record::Graph graph = record::GraphFromJson(
      {{"nodes",
        {Node("exp", "x", "a", 100000), Node("sum", "a", "b", 1), Node("exp", "b", "c", 1)}},
       {"outputs", {"c"}}});
  const Baseline b = BaselineOf(Case(100000, 1), &graph, Simple(), Table(), TenCores(), errors);
  ASSERT_EQ(b.kernels, 3);
  const double small = sim::EagerUs({8, 1, 2, false}, Simple(), 10), rest = b.eager_us - small;
  EXPECT_NEAR(b.eager_range.low, 0.9 * rest + 0.5 * small, 1e-9);
  EXPECT_NEAR(b.eager_range.high, 1.1 * rest + 2 * small, 1e-9);
}

TEST(Baseline, TheEstimatorIsNamedByWhatItDependsOn) {
  sim::TimingParameters p = Simple();
  std::string hash = EstimatorHash(p, Table(), TenCores());
  EXPECT_EQ(hash, EstimatorHash(p, Table(), TenCores()));
  p.hbm_rate += 1;
  EXPECT_NE(hash, EstimatorHash(p, Table(), TenCores()));
  sim::EagerTable table = Table();
  table.text += "# another";
  EXPECT_NE(EstimatorHash(Simple(), Table(), TenCores()),
            EstimatorHash(Simple(), table, TenCores()));
  chip::Chip other = TenCores();
  other.aiv = 20;
  EXPECT_NE(hash, EstimatorHash(Simple(), Table(), other));
}

}  // namespace
}  // namespace akgen::judge
