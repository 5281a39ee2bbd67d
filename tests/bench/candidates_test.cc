#include "bench/candidates.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "bench/config.h"

namespace akgen::bench {
namespace {
namespace fs = std::filesystem;

class CandidatesTest : public ::testing::Test {
 protected:
  CandidatesTest() : dir_(std::move(base::TempDir::Create().value())) {}
  fs::path Project(const std::string& where) {
    fs::path p = dir_.path() / where;
    fs::create_directories(p / "op_kernel");
    fs::create_directories(p / "op_host");
    EXPECT_TRUE(base::WriteFileAtomic(p / "op_kernel/k.cpp", "kernel of " + where).ok());
    return p;
  }
  std::vector<Unit> Units(const std::vector<std::string>& tasks,
                          const std::string& mode = "dynamic");
  base::TempDir dir_;
};

}  // namespace
}  // namespace akgen::bench

#include "bench/run.h"

namespace akgen::bench {
namespace {

std::vector<Unit> CandidatesTest::Units(const std::vector<std::string>& tasks,
                                        const std::string& mode) {
  Config config;
  config.mode = mode;
  return std::move(UnitsOf(*SelectTasks(tasks), config).value());
}

TEST_F(CandidatesTest, SamplesByNumber) {
  for (const char* s : {"Sqrt/sample0", "Sqrt/sample10", "Sqrt/sample2", "FastGelu"}) Project(s);
  fs::create_directories(dir_.path() / "Sqrt/sample3");  // no kernel in it
  fs::create_directories(dir_.path() / "Sqrt/samplex/op_kernel");
  auto units = Units({"FastGelu", "Sqrt"});
  ASSERT_EQ(units.size(), 2u);
  auto all = FindCandidates(dir_.path(), units, 0);
  ASSERT_TRUE(all.ok());
  std::vector<std::pair<std::string, int>> found;
  for (const auto& c : *all) found.emplace_back(units[c.unit].name, c.sample);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, int>>{
                       {"Sqrt", 0}, {"Sqrt", 2}, {"Sqrt", 10}, {"FastGelu", 0}}));
  EXPECT_EQ(FindCandidates(dir_.path(), units, 2)->size(), 2u) << "samples from n on are left out";
}

TEST_F(CandidatesTest, ACheckoutOfTheUpstreamBenchmark) {
  Project("tasks/level1/Math/Sqrt/answer/0");
  Project("tasks/level1/Math/Sqrt/answer/1");
  Project("Sqrt/sample0");
  auto units = Units({"Sqrt"});
  EXPECT_EQ(FindCandidates(dir_.path(), units, 0)->size(), 2u);
}

TEST_F(CandidatesTest, StaticUnitsAreCases) {
  auto units = Units({"Sqrt"}, "static");
  ASSERT_EQ(units.size(), 5u);
  EXPECT_EQ(units[2].name, "Sqrt@2");
  Project("Sqrt/case2/sample1");
  Project("Sqrt/sample0");  // of the other layout
  auto found = FindCandidates(dir_.path(), units, 0);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->at(0).unit, 2u);
}

TEST_F(CandidatesTest, KernelsAloneAndTheirHostSides) {
  auto units = Units({"FastGelu", "Sqrt"});  // Sqrt first: level 1
  fs::create_directories(dir_.path() / "Sqrt/sample1");
  ASSERT_TRUE(base::WriteFileAtomic(dir_.path() / "Sqrt/sample1/kernel.cpp", "a kernel").ok());
  EXPECT_FALSE(FindCandidates(dir_.path(), units, 0).ok()) << "a whole candidate has op_kernel/";
  auto found = FindCandidates(dir_.path(), units, 0, true);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->at(0).sample, 1);
  EXPECT_EQ(HashOfHosts(dir_.path(), units).error().code, "AK0510");
  EXPECT_EQ(HashOfHosts("", units).value(), "");
  fs::path host = Project("hosts/Sqrt");
  EXPECT_EQ(FindHost(dir_.path() / "hosts", units[0]), host);
  EXPECT_EQ(FindHost(dir_.path() / "hosts", units[1]), "");
  ASSERT_TRUE(base::WriteFileAtomic(host / "op_host/h.cpp", "one").ok());
  std::string first = HashOfHosts(dir_.path() / "hosts", units).value();
  ASSERT_TRUE(base::WriteFileAtomic(host / "op_host/h.cpp", "two").ok());
  EXPECT_NE(HashOfHosts(dir_.path() / "hosts", units).value(), first);
  Project("hosts/tasks/level1/Math/Sqrt/answer/0");
  EXPECT_EQ(FindHost(dir_.path() / "hosts", units[0]),
            dir_.path() / "hosts/tasks/level1/Math/Sqrt/answer/0");
}

TEST_F(CandidatesTest, WhatAnUpstreamRunLeaves) {
  Project("lvl1/Math/Sqrt/sample3/src");
  Project("lvl1/Math/Sqrt/fixed_case_2/sample0/src");
  auto dynamic = FindCandidates(dir_.path(), Units({"Sqrt"}), 0);
  ASSERT_TRUE(dynamic.ok());
  ASSERT_EQ(dynamic->size(), 1u);
  EXPECT_EQ(dynamic->at(0).sample, 3);
  auto of_cases = FindCandidates(dir_.path(), Units({"Sqrt"}, "static"), 0);
  ASSERT_TRUE(of_cases.ok());
  ASSERT_EQ(of_cases->size(), 1u);
  EXPECT_EQ(of_cases->at(0).unit, 2u);
}

TEST_F(CandidatesTest, NothingToJudgeIsAnError) {
  auto units = Units({"Sqrt"});
  EXPECT_EQ(FindCandidates(dir_.path() / "none", units, 0).error().code, "AK0510");
  EXPECT_EQ(FindCandidates(dir_.path(), units, 0).error().code, "AK0510");
  EXPECT_EQ(SelectTasks({"Sqrrt"}).error().code, "AK0101");
}

TEST_F(CandidatesTest, TasksComeOnceAndInOrder) {
  auto t = SelectTasks({"Sqrt", "level1", "sqrt"});
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(std::count_if(t->begin(), t->end(), [](const auto& i) { return i.name == "Sqrt"; }), 1);
  EXPECT_EQ(t->size(), 37u);
}

TEST_F(CandidatesTest, HashesFollowNamesContentsAndLinks) {
  Candidate a;
  a.dir = Project("a");
  std::string first = *HashOfCandidate(a);
  EXPECT_EQ(first, *HashOfCandidate(a));
  ASSERT_TRUE(base::WriteFileAtomic(a.dir / "op_kernel/k.cpp", "kernel of b").ok());
  std::string changed = *HashOfCandidate(a);
  EXPECT_NE(first, changed);
  fs::rename(a.dir / "op_kernel/k.cpp", a.dir / "op_kernel/l.cpp");
  std::string renamed = *HashOfCandidate(a);
  EXPECT_NE(renamed, changed);
  fs::path outside = dir_.path() / "outside.h";
  ASSERT_TRUE(base::WriteFileAtomic(outside, "one").ok());
  fs::create_symlink(outside, a.dir / "op_kernel/link.h");
  std::string linked = *HashOfCandidate(a);
  EXPECT_NE(linked, renamed);
  ASSERT_TRUE(base::WriteFileAtomic(outside, "two").ok());
  EXPECT_NE(*HashOfCandidate(a), linked) << "what a link leads to is part of the candidate";
  a.dir = dir_.path() / "none";
  EXPECT_EQ(HashOfCandidate(a).error().code, "AK0511");
}

TEST(Config, ComesBackFromJson) {
  Config c;
  c.units = {"A", "B"};
  c.hidden_seed = 0xfffffffffffffull;
  c.precision = "upstream";
  c.samples = 7;
  EXPECT_EQ(ToJson(ConfigFromJson(ToJson(c))), ToJson(c));
  Config d = c;
  d.samples = 8, d.seed = 2;
  EXPECT_EQ(Differences(ToJson(c), ToJson(d)), "samples, seed");
  EXPECT_EQ(Differences(ToJson(c), ToJson(c)), "");
}

TEST(Config, ProfilesChooseBySize) {
  auto task = task::LoadTask("Sqrt");
  ASSERT_TRUE(task.ok());
  Config c;
  EXPECT_EQ(ProfileCases(*task, c, "")->size(), task->cases.size());
  EXPECT_EQ(ProfileCases(*task, c, "3")->size(), 1u);
  c.max_cases = 2;
  EXPECT_EQ(ProfileCases(*task, c, "")->size(), 2u);
  c.profile = "tiny";
  auto tiny = ProfileCases(*task, c, "");
  ASSERT_GE(tiny->size(), 1u) << "where nothing is that small, the smallest";
}

}  // namespace
}  // namespace akgen::bench
