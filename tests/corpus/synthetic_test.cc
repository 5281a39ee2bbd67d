// The synthetic stage with its helpers: compositions become kernels that build, run and agree with
// their reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files.h"
#include "corpus/compose/composition.h"
#include "corpus/compose/verify.h"
#include "corpus/records/synthetic.h"

namespace akgen::corpus {
namespace {
TEST(Synthetic, NearlyEverythingIsADuplicate) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  SyntheticOptions o;
  o.count = 9;
  o.per_build = 4;
  o.workers = 1;
  o.most_tries = 3;
  auto made = BuildSynthetic(dir->path(), o);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, "AK0803");
}

// Statistics of everything that wait for others, in a dtype of their own: kernels that build, and
// agree.
TEST(Synthetic, StatisticsThatWaitForOthersBuild) {
  auto validator = judge::Validator::Start(std::string(chip::kDefaultChip));
  ASSERT_TRUE(validator.ok()) << validator.error().ToString();
  std::vector<Candidate> all;
  for (uint64_t index = 0; index < 20000 && all.size() < 8; ++index) {
    Composition c = RandomComposition(1, index);
    const bool whole =
        std::count(c.families.begin(), c.families.end(), "whole") && c.outputs.size() >= 2;
    if (!whole) continue;
    Candidate made = Prepare(1, index, validator->target());
    if (made.refused.empty()) all.push_back(std::move(made));
  }
  ASSERT_EQ(all.size(), 8u) << "the composer makes no such compositions any more";
  Verify(*validator, all);
  size_t right = 0;
  for (const Candidate& c : all) {
    right += c.failed.empty();
    EXPECT_TRUE(c.failed.empty() || c.failed.rfind("reference: ", 0) == 0)
        << c.name << ": " << c.failed << "\n"
        << c.program;  // values may be sensitive to rounding
  }
  EXPECT_GE(right, 4u);
}

TEST(Synthetic, MakesVerifiedRecords) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  SyntheticOptions o;
  o.count = 4;
  o.per_build = 8;
  o.workers = 1;
  auto made = BuildSynthetic(dir->path(), o);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->records, 4u);
}
}  // namespace
}  // namespace akgen::corpus
