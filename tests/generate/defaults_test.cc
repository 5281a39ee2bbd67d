// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "generate/generator.h"
#include "generate/http.h"
#include "generate/journal.h"
#include "generate/judge_pool.h"
#include "generate/kernel.h"
#include "generate/loop.h"
#include "generate/model.h"
#include "generate/resample.h"

namespace akgen::generate {
namespace {
TEST(GenerateDefaults, Generator) { EXPECT_EQ(double(Made().line), 0); }
TEST(GenerateDefaults, Http) {
  EXPECT_EQ(double(HttpRequest().timeout_s), 600);
  EXPECT_EQ(double(HttpRequest().idle_s), 120);
  EXPECT_EQ(double(HttpReply().status), 0);
  EXPECT_EQ(HttpReply().retry_after_s, -1);
  EXPECT_FALSE(HttpReply().ended_by_reader);
}
TEST(GenerateDefaults, Journal) {
  EXPECT_EQ(double(JournalTotals().turns), 0);
  EXPECT_EQ(double(JournalTotals().cached), 0);
  EXPECT_EQ(double(JournalTotals().prompt_tokens), 0);
  EXPECT_EQ(double(JournalTotals().completion_tokens), 0);
  EXPECT_EQ(double(JournalTotals().trouble), 0);
  EXPECT_EQ(double(JournalTotals().model_ms), 0);
  EXPECT_EQ(double(JournalTotals().judge_ms), 0);
  EXPECT_EQ(double(JournalTotals().own_ms), 0);
}
TEST(GenerateDefaults, JudgePool) {
  EXPECT_EQ(double(Trial().hidden), 0);
  EXPECT_EQ(double(Trial().hidden_seed), 0);
}
TEST(GenerateDefaults, Kernel) {
  EXPECT_FALSE(KernelRequest().products_as_sums);
  EXPECT_EQ(double(KernelRequest().hidden), 4);
  EXPECT_EQ(double(KernelRequest().capture_ms), 120000);
}
TEST(GenerateDefaults, Loop) {
  EXPECT_EQ(double(LoopOptions().samples), 1);
  EXPECT_EQ(double(LoopOptions().repair), 0);
  EXPECT_EQ(double(LoopOptions().improve), 0);
  EXPECT_EQ(double(LoopOptions().seed), 1);
  EXPECT_EQ(double(LoopOptions().hidden), 4);
  EXPECT_FALSE(LoopOptions().kernel_only);
  EXPECT_FALSE(LoopOptions().first_pass);
  EXPECT_EQ(double(LoopOptions().concurrency), 4);
  EXPECT_EQ(double(LoopOptions().jobs), 1);
  EXPECT_EQ(double(LoopSummary().samples), 0);
  EXPECT_EQ(double(LoopSummary().before), 0);
  EXPECT_EQ(double(LoopSummary().left), 0);
  EXPECT_EQ(double(LoopSummary().skipped), 0);
  EXPECT_FALSE(LoopSummary().sealed);
  EXPECT_EQ(double(LoopSummary().tasks_passed), 0);
  EXPECT_EQ(double(LoopSummary().samples_passed), 0);
}
TEST(GenerateDefaults, Model) {
  EXPECT_EQ(double(Sampling().top_p), 1);
  EXPECT_EQ(double(Sampling().max_tokens), 1024);
  EXPECT_EQ(double(Request().n), 1);
  EXPECT_EQ(double(Request().seed), 0);
  EXPECT_EQ(Request().first_answer, -1);
  EXPECT_EQ(double(Request().temperature_scale), 1);
  EXPECT_EQ(double(Answer().prompt_tokens), 0);
  EXPECT_FALSE(Answer().cached);
  EXPECT_EQ(double(Answer().attempts), 0);
  EXPECT_EQ(double(Answer().ms), 0);
  EXPECT_EQ(double(ModelSettings().top_p), 1);
  EXPECT_EQ(double(ModelSettings().max_tokens), 16384);
  EXPECT_TRUE(ModelSettings().stream);
  EXPECT_FALSE(ModelSettings().logprobs);
  EXPECT_EQ(double(ModelSettings().timeout_s), 600);
  EXPECT_EQ(double(ModelSettings().idle_s), 120);
  EXPECT_EQ(double(ModelSettings().retries), 6);
  EXPECT_EQ(double(ModelSettings().backoff_s), 1);
  EXPECT_EQ(double(ModelSettings().backoff_most_s), 60);
  EXPECT_EQ(double(ModelSettings().requests_per_minute), 0);
  EXPECT_EQ(double(ModelSettings().most_tokens), 0);
  EXPECT_EQ(double(ModelSettings().most_cost), 0);
  EXPECT_EQ(double(ModelSettings().price_in), 0);
  EXPECT_EQ(double(ModelSettings().price_out), 0);
  EXPECT_EQ(ModelSettings().max_answer_bytes, 1 << 20);
  EXPECT_TRUE(ModelSettings().cache);
}
TEST(GenerateDefaults, Resample) { EXPECT_EQ(double(Resampled().attempts), 0); }
}  // namespace
}  // namespace akgen::generate
