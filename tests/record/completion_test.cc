#include "record/completion.h"

#include <gtest/gtest.h>

namespace akgen::record {
namespace {
TEST(Completion, ARefusalHasAnErrorAndNothingElse) {
  CompletionReply refused;
  refused.error = base::Error{"AK1920", "the line is not JSON", "a.jsonl:3", "correct it"};
  refused.tokens = 7;
  const base::Json j = ToJson(refused);
  EXPECT_EQ(j.size(), 1u) << j;
  const CompletionReply back = CompletionReplyFromJson(j);
  ASSERT_TRUE(back.error);
  EXPECT_EQ(back.error->code, "AK1920");
  EXPECT_EQ(back.error->message, "the line is not JSON");
  EXPECT_EQ(back.error->where, "a.jsonl:3");
}

TEST(Completion, AnAnswerKeepsItsChoicesAndNumbers) {
  CompletionReply r;
  r.choices = {{"one", "stop", 3, -0.5}, {"two", "length", 0, 0}};
  r.prompt_tokens = 11, r.tokens = 3, r.read_s = 0.25, r.write_s = 0.5;
  const CompletionReply back = CompletionReplyFromJson(ToJson(r));
  EXPECT_FALSE(back.error);
  ASSERT_EQ(back.choices.size(), 2u);
  EXPECT_EQ(back.choices[0].text, "one");
  EXPECT_EQ(back.choices[0].finish, "stop");
  EXPECT_EQ(back.choices[0].tokens, 3);
  EXPECT_EQ(back.choices[0].log_p, -0.5);
  EXPECT_EQ(back.choices[1].finish, "length");
  EXPECT_EQ(back.prompt_tokens, 11);
  EXPECT_EQ(back.tokens, 3);
  EXPECT_EQ(back.read_s, 0.25);
  EXPECT_EQ(back.write_s, 0.5);
}
}  // namespace
}  // namespace akgen::record
