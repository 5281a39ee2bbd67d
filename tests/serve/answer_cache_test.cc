// What is kept of answers: how many bytes, which go first, whose they are, and that nothing of one
// is lost on the way.
#include "serve/answer_cache.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace akgen::serve {
namespace {
using base::Json;

Answer Made(const std::string& reason) {
  Answer a;
  a.ending = Ending::kDone, a.outcome = "finding", a.reason = reason, a.sealed = true;
  a.record = {{"task", "Sqrt"}}, a.judged_ms = 2.5;
  a.merit = {true, 0.25};
  return a;
}
size_t BytesOf(const Answer& a, const std::string& principal) {
  Json j = ToJson(a);
  j["principal"] = principal;
  return base::Dump(j).size() + principal.size();
}

TEST(AnswerCache, NothingOfAnAnswerIsLost) {
  for (Ending ending : {Ending::kDone, Ending::kInvalid, Ending::kConflict, Ending::kOverloaded,
                        Ending::kExpired, Ending::kCancelled, Ending::kStopping, Ending::kFault}) {
    Answer a = Made("why");
    a.ending = ending;
    if (ending != Ending::kDone) a.error = base::Error{"AK0905", "m", "w", "f"};
    const auto back = AnswerFromJson(ToJson(a));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->ending, ending);
    EXPECT_EQ(ToJson(*back), ToJson(a));
  }
  for (const char* member : {"ending", "outcome", "reason", "sealed", "record", "judged_ms"}) {
    Json j = ToJson(Made("why"));
    j.erase(member);
    EXPECT_FALSE(AnswerFromJson(j).ok()) << member;
  }
}

TEST(AnswerCache, OneLearnsOnlyWhatItAskedItself) {
  AnswerCache cache({});
  EXPECT_FALSE(cache.Get("h", "me"));
  cache.Put("h", Made("one"), "me");
  const auto mine = cache.Get("h", "me"), first = cache.Get("h", "you"),
             second = cache.Get("h", "you");
  ASSERT_TRUE(mine && first && second);
  EXPECT_TRUE(mine->cached && mine->reused && first->reused);
  EXPECT_FALSE(first->cached);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(first->reason, "one");
}

TEST(AnswerCache, OnlyWhatWasJudgedIsGivenAgain) {
  AnswerCache cache({});
  Answer a = Made("late");
  a.ending = Ending::kExpired, a.error = base::Error{"AK0905", "m", "", ""};
  cache.Put("h", a, "me");
  EXPECT_FALSE(cache.Get("h", "me"));
}

TEST(AnswerCache, TheLeastRecentlyUsedGoesFirst) {
  const size_t one = BytesOf(Made("x"), "me");
  AnswerCache room({3 * one, {}}), small({one, {}}), none({one - 3, {}});
  for (const char* h : {"a", "b", "c"}) room.Put(h, Made("x"), "me");
  EXPECT_TRUE(room.Get("a", "me"));  // now the latest
  room.Put("d", Made("x"), "me");
  EXPECT_FALSE(room.Get("b", "me"));
  EXPECT_TRUE(room.Get("a", "me") && room.Get("c", "me") && room.Get("d", "me"));
  room.Put("a", Made("x"), "me");  // there already: not counted twice
  EXPECT_TRUE(room.Get("c", "me") && room.Get("d", "me"));
  small.Put("a", Made("x"), "me");
  EXPECT_TRUE(small.Get("a", "me"));
  small.Put("b", Made("x"), "me");
  EXPECT_TRUE(small.Get("b", "me"));
  EXPECT_FALSE(small.Get("a", "me"));
  (void)small.Get("b", "another");  // who else knows it takes room, too
  EXPECT_FALSE(small.Get("b", "me"));
  none.Put("a", Made("x"), "me");
  EXPECT_FALSE(none.Get("a", "me"));
}

TEST(AnswerCache, AFolderKeepsAll) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "akgen-answers";
  std::filesystem::remove_all(folder);
  AnswerCache first({0, folder});
  first.Put("abcdef", Made("kept"), "me");
  EXPECT_TRUE(std::filesystem::exists(folder / "ab/abcdef.json"));
  AnswerCache other({1 << 20, folder});
  const auto mine = other.Get("abcdef", "me"),
             not_mine = AnswerCache({0, folder}).Get("abcdef", "x");
  ASSERT_TRUE(mine && not_mine);
  EXPECT_TRUE(mine->cached);
  EXPECT_FALSE(not_mine->cached);
  EXPECT_FALSE(other.Get("abcde0", "me"));
  std::filesystem::remove_all(folder);
}
}  // namespace
}  // namespace akgen::serve
