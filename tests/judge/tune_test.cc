// The search over tunables, with objectives whose best is known; tests/profile/tune_test.py
// searches real kernels.
#include "judge/tune.h"

#include <gtest/gtest.h>

#include <cmath>

namespace akgen::judge {
namespace {

const SourceFiles kProject{{"op_host/add.cpp", "context->SetBlockDim(8);  // tune: 8, 24, 48\n"},
                           {"op_kernel/add.cpp",
                            "using T = half;\nconstexpr uint32_t kTile = 2048;  // tune: 1024, "
                            "2048, 4096\nInit(2); // tune: 1, 2\n"}};

TEST(Tune, WhatIsDeclaredIsFound) {
  auto found = TunablesOf(kProject);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].name, "SetBlockDim");
  EXPECT_EQ((*found)[0].now, 0u);
  EXPECT_EQ((*found)[1].name, "kTile");
  EXPECT_EQ((*found)[1].line, 2);
  EXPECT_EQ((*found)[1].now, 1u);
  EXPECT_EQ((*found)[2].values, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(Chosen(kProject, *found, {0, 1, 1}), kProject) << "the choice that stands";
  SourceFiles other = Chosen(kProject, *found, {2, 0, 0});
  EXPECT_EQ(other["op_host/add.cpp"], "context->SetBlockDim(48);  // tune: 8, 24, 48\n");
  EXPECT_EQ(other["op_kernel/add.cpp"],
            "using T = half;\nconstexpr uint32_t kTile = 1024;  // tune: 1024, 2048, "
            "4096\nInit(1); // tune: 1, 2\n");
}

TEST(Tune, AProgramsCallsAreFound) {
  const SourceFiles program{{"add.py",
                             "# tune(1, 2) in a comment\n@host\ndef f(x):\n    tile = tune(64, "
                             "128, 256)\n    retune(1, 2)\n"}};
  auto found = TunablesOf(program);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].name, "tile");
  EXPECT_EQ((*found)[0].line, 4);
  EXPECT_EQ(Chosen(program, *found, {0}), program);
  EXPECT_NE(Chosen(program, *found, {2})["add.py"].find("tile = tune(256, 64, 128)\n"),
            std::string::npos);
}

TEST(Tune, ADeclarationThatNamesNothingIsRefused) {
  for (const char* line : {"int a = 3;  // tune: 1, 2", "int a = 1, b = 2;  // tune: 1, 2",
                           "int a = 1;  // tune: 1", "int a = 1;  // tune: 1, two"}) {
    auto found = TunablesOf({{"a.cpp", line}});
    ASSERT_FALSE(found.ok()) << line;
    EXPECT_EQ(found.error().code, "AK0402");
    EXPECT_EQ(found.error().where, "a.cpp:1");
  }
}

std::vector<Tunable> Numbered(std::vector<size_t> counts) {
  std::vector<Tunable> out;
  for (size_t n : counts) {
    out.emplace_back();
    out.back().values.assign(n, "1");
  }
  return out;
}

TEST(Tune, EverythingIsTriedOnceWhereTheBudgetAllows) {
  std::vector<Tunable> t = Numbered({3, 4});
  t[0].now = 1;
  TuneResult r = Tune(t, 12, [](const Choice& c) {
    return 10.0 + std::abs(double(c[0]) - 2) + std::abs(double(c[1]) - 3);
  });
  EXPECT_EQ(r.trials.size(), 12u);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.trials[0].choice, (Choice{1, 0})) << "as it stands";
  ASSERT_TRUE(r.best);
  EXPECT_EQ(r.trials[*r.best].choice, (Choice{2, 3}));
}

TEST(Tune, ABudgetIsKept) {
  auto far = [](const Choice& c) {
    return std::optional(100.0 - double(c[0]) - double(c[1]) - double(c[2]));
  };
  TuneResult r = Tune(Numbered({9, 9, 9}), 60, far);
  EXPECT_FALSE(r.complete);
  EXPECT_LE(r.trials.size(), 60u);
  ASSERT_TRUE(r.best);
  EXPECT_EQ(r.trials[*r.best].choice, (Choice{8, 8, 8}))
      << "one after the other gets there in 25 trials";
  EXPECT_EQ(Tune(Numbered({9, 9, 9}), 5, far).trials.size(), 5u);
}

TEST(Tune, WhatDoesNotPassNeverWins) {
  TuneResult r = Tune(Numbered({4}), 10, [](const Choice& c) {
    return c[0] == 2 ? std::optional(7.0) : std::nullopt;
  });
  ASSERT_TRUE(r.best);
  EXPECT_EQ(r.trials[*r.best].choice, Choice{2});
  EXPECT_FALSE(Tune(Numbered({4}), 10, [](const Choice&) { return std::optional<double>(); }).best);
}

}  // namespace
}  // namespace akgen::judge
