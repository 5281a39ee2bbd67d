// The cost that the host minimises over cores and tiles: the cycles of model_cost, evaluated.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "craft/craft.h"
#include "on_default_chip.h"
#include "sim/timing/parameters.h"

namespace akgen::craft {
namespace {
using Numbers = std::map<std::string, int64_t>;

int64_t Value(const ir::S& s, const Numbers& with) {
  auto arg = [&](size_t i) { return Value(s->args[i], with); };
  switch (s->kind) {
    case ir::SKind::kConst: return s->i;
    case ir::SKind::kVar: return with.at(s->text);
    case ir::SKind::kBinary: {
      int64_t a = arg(0), b = arg(1);
      return s->text == "+"   ? a + b
             : s->text == "-" ? a - b
             : s->text == "*" ? a * b
             : s->text == "%" ? a % b
                              : a / b;
    }
    case ir::SKind::kCall:
      if (s->text == "cores") return with.at("cores");
      if (s->text == "ceil_div") return (arg(0) + arg(1) - 1) / arg(1);
      if (s->text == "min") return std::min(arg(0), arg(1));
      if (s->text == "max") return std::max(arg(0), arg(1));
      if (s->text == "overlap")
        return std::max({arg(0), arg(1), arg(2), arg(3), arg(4)}) + arg(5) + arg(6) + arg(7) -
               std::max({arg(5), arg(6), arg(7)});
      [[fallthrough]];
    default: ADD_FAILURE() << "no value for " << ir::ToText(s); return 0;
  }
}

class ModelCostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/examples/craft/adam.py");
    ASSERT_TRUE(text.ok());
    compiled_ = Compile(*text);
    ASSERT_FALSE(compiled_.lowered.empty());
  }
  // Cycles of the launch as the host counts them.
  int64_t Launch(int64_t total, int64_t cores, int64_t tile) {
    const LoweredKernel& k = compiled_.lowered[0].kernels[0];
    int64_t per_core = (total + cores - 1) / cores;
    Numbers n{{"total", total},
              {"per_core", per_core},
              {"tile", std::min(tile, per_core)},
              {"cores", cores}};
    for (const auto& [name, value] : k.parts) n[name] = Value(value, n);
    return DefaultTarget().costs.launch_core * cores + Value(k.cycles, n);
  }
  Compiled compiled_;
};

TEST_F(ModelCostTest, LittleWorkIsNotSpread) {
  EXPECT_LT(Launch(256, 1, 4096), Launch(256, 8, 4096));
  // 16 bytes an element are copied in. For so many elements 48 cores save as much of that over 8 as
  // they cost to start.
  const Costs& c = DefaultTarget().costs;
  const int64_t even =
      int64_t(double(c.launch_core) * 40 / (16.0 / double(c.in_rate) * (1.0 / 8 - 1.0 / 48)));
  EXPECT_LT(Launch(even / 8, 8, 4096), Launch(even / 8, 48, 4096));
  EXPECT_GT(Launch(8 * even, 8, 4096), Launch(8 * even, 48, 4096));
}
TEST_F(ModelCostTest, MuchWorkIs) {
  EXPECT_LT(Launch(1 << 22, 24, 2048), Launch(1 << 22, 6, 2048));
}
TEST_F(ModelCostTest, SeveralTilesOverlapOneDoesNot) {
  EXPECT_LT(Launch(1 << 13, 1, 2048), Launch(1 << 13, 1, 8192));
}
TEST_F(ModelCostTest, TinyTilesCostMoreThanTheyOverlap) {
  EXPECT_LT(Launch(1 << 16, 1, 2048), Launch(1 << 16, 1, 64));
}

// The pass has the numbers of the chip's timing model, rounded.
TEST(CraftModelCost, NumbersAreThoseOfTheTimingModel) {
  auto chip = chip::LoadChip();
  ASSERT_TRUE(chip.ok());
  auto p = sim::LoadTiming(chip->timing);
  ASSERT_TRUE(p.ok());
  const Costs& c = DefaultTarget().costs;
  EXPECT_NEAR(p->launch_core_us * p->clock_mhz, double(c.launch_core), 1);
  EXPECT_NEAR(p->mte2_latency, double(c.copy_latency), 0.5);
  EXPECT_NEAR(p->mte2_floor, double(c.copy_least), 0.5);
  EXPECT_NEAR(p->mte2_rate, double(c.in_rate), 0.5);
  EXPECT_NEAR(p->mte3_rate, double(c.out_rate), 1);
  EXPECT_NEAR(p->hbm_rate / p->clock_mhz, double(c.shared_in), 1);
  EXPECT_NEAR(p->l2_rate / p->clock_mhz, double(c.shared_out), 1);
  EXPECT_NEAR(p->vector_head, double(c.vector_head), 0.5);
  EXPECT_NEAR(p->sync_all, double(c.sync_all), 0.5);
}

// Whoever starts one core waits for nobody.
TEST(CraftModelCost, ABarrierCostsWhereThereAreSeveralCores) {
  Compiled c = Compile(
      "@kernel\ndef k(x: gm[n], y: gm[n], n, tile):\n    u = ub(tile, dtype=x.dtype)\n    "
      "sync_all()\n    for i, m in "
      "tiles(0, min(n, tile), tile):\n        with copyin:\n            load(u, x[i : i + m])\n    "
      "    with copyout:\n"
      "            store(y[i : i + m], u)\n\n\n@host\ndef op(x: tensor(f32)):\n    y = "
      "empty(x.shape, f32)\n    n = "
      "x.numel\n"
      "    tile = fit(n, 64)\n    k[best_cores()](x, y, n, tile)\n");
  ASSERT_FALSE(c.lowered.empty()) << c.diagnostics.list()[0].message;
  const LoweredKernel& k = c.lowered[0].kernels[0];
  auto at = [&](int64_t cores) {
    Numbers n{{"n", 64}, {"tile", 64}, {"cores", cores}};
    for (const auto& [name, value] : k.parts) n[name] = Value(value, n);
    return Value(k.cycles, n);
  };
  EXPECT_GE(at(2) - at(1), DefaultTarget().costs.sync_all);
  EXPECT_LT(at(3) - at(2), DefaultTarget().costs.sync_all / 2);
}

// They are in what is emitted: another model gives another text, nothing else does.
TEST(CraftModelCost, AnotherTimingModelGivesOtherHostCode) {
  auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/examples/craft/adam.py");
  ASSERT_TRUE(text.ok());
  auto host = [&](const Target& t) {
    return EmitProject(Compile(*text, t).lowered).at("op_host/adam.cpp");
  };
  const std::string usual = host(DefaultTarget());
  Target other = DefaultTarget();
  other.cores = 3, other.ub_bytes /= 2;  // asked for when it runs
  EXPECT_EQ(host(other), usual);
  for (int64_t Costs::* cost :
       {&Costs::launch_core, &Costs::copy_latency, &Costs::copy_least, &Costs::in_rate,
        &Costs::out_rate, &Costs::shared_in, &Costs::shared_out, &Costs::vector_head}) {
    other = DefaultTarget();
    other.costs.*cost += 1;
    EXPECT_NE(host(other), usual);
  }
}
}  // namespace
}  // namespace akgen::craft
