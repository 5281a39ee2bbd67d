// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "bench/candidates.h"
#include "bench/compare.h"
#include "bench/config.h"
#include "bench/generator.h"
#include "bench/lint.h"
#include "bench/lint_case.h"
#include "bench/metrics.h"
#include "bench/run.h"
#include "bench/slurm.h"
#include "bench/variants.h"

namespace akgen::bench {
namespace {
TEST(BenchDefaults, Candidates) {
  EXPECT_EQ(double(Candidate().unit), 0);
  EXPECT_EQ(double(Candidate().sample), 0);
}
TEST(BenchDefaults, Compare) {
  EXPECT_EQ(double(Flip().sample), 0);
  EXPECT_EQ(double(ComparedCase().sample), 0);
  EXPECT_EQ(double(FindingChange().before), 0);
  EXPECT_EQ(double(FindingChange().after), 0);
  EXPECT_EQ(double(TimeChange().before_us), 0);
  EXPECT_EQ(double(TimeChange().after_us), 0);
  EXPECT_EQ(double(RunComparison().both), 0);
  EXPECT_EQ(double(RunComparison().only_first), 0);
  EXPECT_EQ(double(RunComparison().only_second), 0);
  EXPECT_EQ(double(RunComparison().neither), 0);
  EXPECT_EQ(double(RunComparison().p_value), 1);
}
TEST(BenchDefaults, Config) {
  EXPECT_FALSE(Config().time);
  EXPECT_EQ(double(Config().max_cases), 0);
  EXPECT_EQ(double(Config().samples), 1);
  EXPECT_EQ(double(Config().hidden), 4);
  EXPECT_EQ(double(Config().timeout_s), 120);
  EXPECT_EQ(double(Config().seed), 0);
  EXPECT_EQ(double(Config().hidden_seed), 0);
}
TEST(BenchDefaults, Generator) {
  EXPECT_EQ(double(GeneratorReport().tasks), 0);
  EXPECT_EQ(double(GeneratorReport().emitted), 0);
  EXPECT_EQ(double(GeneratorReport().built), 0);
  EXPECT_EQ(double(GeneratorReport().passed), 0);
  EXPECT_EQ(double(GeneratorReport().passed_hidden), 0);
  EXPECT_EQ(double(GeneratorReport().findings), 0);
}
TEST(BenchDefaults, Lint) {
  EXPECT_EQ(double(LintOptions().max_cases), 10);
  EXPECT_FALSE(LintOptions().all_references);
  EXPECT_TRUE(LintOptions().variants);
  EXPECT_TRUE(LintOptions().range);
  EXPECT_EQ(double(LintOptions().seed), 1);
  EXPECT_EQ(double(LintResult().cases), 0);
  EXPECT_EQ(double(LintResult().answers), 0);
  EXPECT_EQ(double(LintResult().references), 0);
  EXPECT_FALSE(LintResult().upstream_takes_zero);
  EXPECT_EQ(double(LintTotals().passed), 0);
  EXPECT_EQ(double(LintTotals().cases), 0);
  EXPECT_EQ(double(LintTotals().answers), 0);
  EXPECT_EQ(double(LintTotals().references), 0);
  EXPECT_EQ(double(LintTotals().weak_cases), 0);
  EXPECT_EQ(double(LintTotals().too_large), 0);
}
TEST(BenchDefaults, LintCase) { EXPECT_EQ(double(LintCase().seed), 0); }
TEST(BenchDefaults, Metrics) {
  EXPECT_EQ(double(Interval().value), 0);
  EXPECT_EQ(double(Interval().low), 0);
  EXPECT_EQ(double(Interval().high), 0);
  EXPECT_EQ(double(UnitResult().level), 0);
  EXPECT_EQ(double(UnitResult().samples), 0);
  EXPECT_EQ(double(UnitResult().built), 0);
  EXPECT_EQ(double(UnitResult().public_right), 0);
  EXPECT_EQ(double(UnitResult().hidden_right), 0);
  EXPECT_EQ(double(UnitResult().right), 0);
  EXPECT_FALSE(UnitResult().hidden);
  EXPECT_EQ(double(Metrics().n), 1);
  EXPECT_EQ(double(Metrics().weighted), 0);
  EXPECT_FALSE(Metrics().modelled_time);
  EXPECT_EQ(double(Metrics().hap), 0);
  EXPECT_EQ(double(FastPShares().p), 0);
  EXPECT_EQ(double(FastPShares().said), 0);
  EXPECT_EQ(double(FastPShares().low), 0);
  EXPECT_EQ(double(FastPShares().high), 0);
  EXPECT_EQ(double(FastPShares().beyond), 0);
}
TEST(BenchDefaults, Run) {
  EXPECT_EQ(double(RunOptions().jobs), 1);
  EXPECT_EQ(double(RunOptions().shard), 0);
  EXPECT_EQ(double(RunOptions().shards), 1);
  EXPECT_TRUE(RunOptions().cache);
  EXPECT_EQ(double(RunOptions::Progress().done), 0);
  EXPECT_EQ(double(RunOptions::Progress().all), 0);
  EXPECT_EQ(double(RunOptions::Progress().before), 0);
  EXPECT_EQ(double(RunSummary().candidates), 0);
  EXPECT_EQ(double(RunSummary().before), 0);
  EXPECT_EQ(double(RunSummary().judged), 0);
  EXPECT_EQ(double(RunSummary().from_cache), 0);
  EXPECT_EQ(double(RunSummary().left), 0);
  EXPECT_EQ(double(RunSummary().task_faults), 0);
}
TEST(BenchDefaults, Slurm) {
  EXPECT_EQ(double(SlurmOptions().workers), 2);
  EXPECT_EQ(double(SlurmOptions().poll_ms), 2000);
  EXPECT_EQ(double(SlurmOptions().candidates), 0);
}
TEST(BenchDefaults, Variants) {
  EXPECT_EQ(double(VariantResult().tried), 0);
  EXPECT_EQ(double(VariantResult().refused), 0);
  EXPECT_EQ(double(VariantResult().failed), 0);
  EXPECT_EQ(double(VariantResult().same), 0);
  EXPECT_EQ(double(VariantResult().by_name), 0);
  EXPECT_EQ(double(VariantOptions().seed), 1);
}
}  // namespace
}  // namespace akgen::bench
