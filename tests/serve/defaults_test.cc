// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "serve/answer_cache.h"
#include "serve/completions.h"
#include "serve/connection_limits.h"
#include "serve/environment.h"
#include "serve/fair_queue.h"
#include "serve/history.h"
#include "serve/journal.h"
#include "serve/judge_service.h"
#include "serve/judging.h"
#include "serve/listener.h"
#include "serve/mcp.h"
#include "serve/model_host.h"
#include "serve/page.h"
#include "serve/router.h"
#include "serve/server.h"
#include "serve/service.h"
#include "serve/tool_arguments.h"
#include "serve/tools.h"

namespace akgen::serve {
namespace {
TEST(ServeDefaults, AnswerCache) { EXPECT_EQ(AnswerCache::Options().most_bytes, 64u << 20); }
TEST(ServeDefaults, Completions) {
  EXPECT_TRUE(Completion().chat);
  EXPECT_FALSE(Completion().stream);
  EXPECT_FALSE(Completion().usage);
  EXPECT_EQ(double(CompletionName().created), 0);
}
TEST(ServeDefaults, ConnectionLimits) {
  EXPECT_EQ(double(ConnectionLimits::Limits().known), 1024);
  EXPECT_EQ(double(ConnectionLimits::Limits().silent), 2048);
  EXPECT_EQ(double(ConnectionLimits::Limits().silent_of_one), 1024);
  EXPECT_TRUE(ConnectionLimits::Admission().admitted);
}
TEST(ServeDefaults, Environment) {
  EXPECT_EQ(double(SplitTask().level), 0);
  EXPECT_EQ(double(EpisodeOptions().max_turns), 10);
  EXPECT_EQ(double(Episode::Outcome().reward), 0);
  EXPECT_FALSE(Episode::Outcome().done);
}
TEST(ServeDefaults, FairQueue) {
  EXPECT_EQ(double(FairQueue::Limits().most), 16384);
  EXPECT_EQ(double(FairQueue::Limits().most_of_one), 12288);
  EXPECT_EQ(FairQueue::Limits().most_bytes, 512u << 20);
}
TEST(ServeDefaults, History) {
  EXPECT_EQ(double(History::Limits().most), 200);
  EXPECT_EQ(History::Limits().bytes, 32u << 20);
}
TEST(ServeDefaults, Journal) { EXPECT_EQ(double(Journal::Entry().attempts), 0); }
TEST(ServeDefaults, JudgeService) {
  EXPECT_EQ(double(JudgeService::Options().workers), 1);
  EXPECT_EQ(double(JudgeService::Options().hidden), 4);
  EXPECT_EQ(double(JudgeService::Options().recycle_after), 500);
  EXPECT_EQ(double(JudgeService::Options().tries), 4);
}
TEST(ServeDefaults, Judging) { EXPECT_FALSE(Judged().keep); }
TEST(ServeDefaults, Listener) {
  EXPECT_EQ(double(Listener::Options().port), 0);
  EXPECT_EQ(Listener::Options().most_body, 8u << 20);
  EXPECT_EQ(double(Listener::Options().most_silent), 2048);
  EXPECT_EQ(double(Listener::Options().most_silent_of_one), 1024);
}
TEST(ServeDefaults, Mcp) { EXPECT_EQ(double(McpReply().status), 200); }
TEST(ServeDefaults, ModelHost) {
  EXPECT_EQ(double(ModelHost::Options().most_waiting), 256);
  EXPECT_EQ(double(ModelHost::Options().threads), 8);
}
TEST(ServeDefaults, Page) {
  EXPECT_FALSE(PageState().form);
  EXPECT_EQ(double(PageState().waiting), 0);
  EXPECT_EQ(double(PageState().judging), 0);
  EXPECT_EQ(double(PageState().judges), 0);
}
TEST(ServeDefaults, Router) { EXPECT_EQ(double(Response().status), 200); }
TEST(ServeDefaults, Server) { EXPECT_FALSE(Server::Options().form); }
TEST(ServeDefaults, Service) {
  EXPECT_FALSE(JudgeWork().fresh);
  EXPECT_FALSE(JudgeWork().time);
  EXPECT_FALSE(JudgeWork().spans);
  EXPECT_FALSE(JudgeWork().advise);
  EXPECT_FALSE(JudgeWork().edits);
  EXPECT_EQ(double(KernelWork().seed), 1);
  EXPECT_FALSE(KernelWork().time);
  EXPECT_FALSE(KernelWork().advise);
  EXPECT_EQ(double(ExamineWork().count), 8);
  EXPECT_EQ(double(ExamineWork().seed), 1);
  EXPECT_FALSE(Submission().outlives_limits);
  EXPECT_FALSE(Submission().kept);
  EXPECT_FALSE(Submission().again);
  EXPECT_FALSE(Answer().sealed);
  EXPECT_FALSE(Answer().cached);
  EXPECT_FALSE(Answer().reused);
  EXPECT_EQ(double(Answer().queued_ms), 0);
  EXPECT_EQ(double(Answer().judged_ms), 0);
  EXPECT_EQ(double(JobState().ahead), 0);
  EXPECT_EQ(double(ServiceLoad().waiting), 0);
  EXPECT_EQ(double(ServiceLoad().judging), 0);
  EXPECT_EQ(double(ServiceLoad().judges), 0);
}
TEST(ServeDefaults, ToolArguments) {
  EXPECT_FALSE(CandidateArguments().record);
  EXPECT_EQ(double(CandidateArguments().count), 8);
  EXPECT_EQ(double(KernelArguments().seed), 1);
  EXPECT_FALSE(KernelArguments().time);
}
TEST(ServeDefaults, Tools) {
  EXPECT_FALSE(ToolResult().failed);
  EXPECT_FALSE(Tool().quick);
}
}  // namespace
}  // namespace akgen::serve
