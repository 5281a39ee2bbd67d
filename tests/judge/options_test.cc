// What is asked for where nobody says anything: what commands, servers and records mean by leaving
// a member out.
#include <gtest/gtest.h>

#include "judge/judge.h"
#include "judge/run/lone.h"

namespace akgen::judge {
namespace {

TEST(JudgeOptions, WhereNobodySaysAnything) {
  const Options o;
  EXPECT_EQ(o.chip + o.inputs + o.precision, "910B2widestrict");
  EXPECT_TRUE(o.range && o.devices.sim && o.devices.profile);
  EXPECT_FALSE(o.kernel_only || o.want_lines || o.want_print || o.edits || o.show_values ||
               o.devices.npu || o.seed);
  EXPECT_EQ(o.run_timeout_ms, 120000);
  EXPECT_EQ(o.schedule, 0u);
  EXPECT_EQ(o.orders, 3);
  EXPECT_EQ(o.devices.npu_id, 0);
  const LoneOptions lone;
  EXPECT_EQ(lone.schedule, 0u);
  EXPECT_EQ(lone.seed, 1u);
  EXPECT_EQ(lone.timeout_ms, 60000);
  EXPECT_EQ(lone.tolerance, 1e-4);
  EXPECT_FALSE(lone.want_lines || lone.want_values);
}

TEST(JudgeOptions, WhatIsNotJudgedYet) {
  const Judgement j;
  EXPECT_TRUE(j.verdict == record::Verdict::kInfraError && j.repeatable && !j.task_fault &&
              j.level == 0);
  const CaseResult c;
  EXPECT_TRUE(c.verdict == record::Verdict::kInfraError && !c.numbers_pass && !c.skipped &&
              !c.reference_cached);
  EXPECT_EQ(
      c.build_ms + c.tile_ms + c.run_ms + c.reference_ms + c.check_ms + c.chip_ms + c.chip_cpu_ms,
      0);
  EXPECT_EQ(c.block_dim + c.tiling_key + uint64_t(c.vendor_code), 0u);
  EXPECT_EQ(j.build_host_ms + j.build_kernel_ms, 0);
}

}  // namespace
}  // namespace akgen::judge
