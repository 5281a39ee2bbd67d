#include "serve/history.h"

#include <gtest/gtest.h>

namespace akgen::serve {
namespace {
Answer Passed(const std::string& id, const base::Json& record = {{"verdict", "pass"}}) {
  Answer a;
  a.id = id, a.ending = Ending::kDone, a.outcome = "pass", a.sealed = true, a.record = record;
  return a;
}

JudgeWork WorkOf(const std::string& text) {
  JudgeWork work;
  work.task = "Sqrt", work.candidate.text = text;
  return work;
}

TEST(History, ShowsTheLastOnesFirstAndOneWhole) {
  History history({});
  history.Add({"me", "client"}, WorkOf("first"), Passed("a"));
  history.Add({"me", ""}, WorkOf("second"), Passed("b"));
  history.Add({"other", ""}, WorkOf("theirs"), Passed("c"));
  const auto recent = history.Recent({"me", ""}, 10);
  ASSERT_EQ(recent.size(), 2U);
  EXPECT_EQ(recent[0].answer.id, "b");
  EXPECT_TRUE(recent[0].answer.record.is_null());
  EXPECT_EQ(recent[1].client, "client");
  EXPECT_EQ(history.Recent({"me", ""}, 1).size(), 1U);
  const auto one = history.Find("a", {"me", ""});
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->answer.record["verdict"], "pass");
  EXPECT_EQ(std::get<JudgeWork>(one->work).candidate.text, "first");
  EXPECT_EQ(one->subject, "Sqrt");
}

TEST(History, IsOfItsPrincipalAlone) {
  History history({});
  history.Add({"me", ""}, WorkOf("x"), Passed("a"));
  EXPECT_FALSE(history.Find("a", {"other", ""}).has_value());
  EXPECT_TRUE(history.Recent({"other", ""}, 10).empty());
}

TEST(History, IsBoundedInNumberAndBytes) {
  History few({.most = 3});
  for (int i = 0; i < 5; ++i) few.Add({"me", ""}, WorkOf("x"), Passed(std::to_string(i)));
  EXPECT_EQ(few.Recent({"me", ""}, 10).size(), 3U);
  EXPECT_FALSE(few.Find("1", {"me", ""}).has_value());
  EXPECT_TRUE(few.Find("2", {"me", ""}).has_value());
  History small({.most = 100, .bytes = 5000});
  for (int i = 0; i < 5; ++i)
    small.Add({"me", ""}, WorkOf(std::string(1500, 'x')), Passed(std::to_string(i)));
  const size_t kept = small.Recent({"me", ""}, 10).size();
  EXPECT_GE(kept, 1U);
  EXPECT_LE(kept, 3U);
  small.Add({"me", ""}, WorkOf("x"), Passed("large", {{"print", std::string(9000, 'y')}}));
  EXPECT_TRUE(small.Recent({"me", ""}, 10).empty());
}
}  // namespace
}  // namespace akgen::serve
