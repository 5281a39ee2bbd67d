#include "serve/submission.h"

#include <gtest/gtest.h>

#include "serve/environment.h"
#include "serve/judging.h"

namespace akgen::serve {
namespace {
using base::Json;

TEST(Submission, EveryMemberIsRead) {
  const auto s = ReadSubmission(Json{{"task", "Sqrt"},
                                     {"files", {{"op_kernel/a.cpp", "x"}}},
                                     {"form", "kernel"},
                                     {"cases", {"0", "3"}},
                                     {"chip", "910B2"},
                                     {"precision", "upstream"},
                                     {"inputs", "upstream"},
                                     {"seed", 7},
                                     {"time", true},
                                     {"timeline", true},
                                     {"project", "mine"},
                                     {"priority", "low"},
                                     {"deadline_ms", 1500},
                                     {"cache", false}},
                                {"p", "n"});
  ASSERT_TRUE(s.ok());
  const auto& work = std::get<JudgeWork>(s->work);
  EXPECT_EQ(work.task, "Sqrt");
  EXPECT_EQ(work.candidate.files.at("op_kernel/a.cpp"), "x");
  EXPECT_EQ(work.candidate.form, Form::kKernel);
  EXPECT_EQ(work.cases, (std::vector<std::string>{"0", "3"}));
  EXPECT_EQ(work.precision + work.inputs, "upstreamupstream");
  EXPECT_EQ(work.seed, 7U);
  EXPECT_TRUE(work.time && work.spans && s->again);
  EXPECT_EQ(work.label, "mine");
  EXPECT_EQ(s->priority, Priority::kLow);
  EXPECT_GE(s->deadline.count(), 1500);
  EXPECT_EQ(s->caller.principal, "p");
  const auto fresh = ReadSubmission(Json{{"task", "Sqrt"}, {"seed", "fresh"}}, {});
  ASSERT_TRUE(fresh.ok());
  EXPECT_TRUE(std::get<JudgeWork>(fresh->work).fresh);
  auto form = [](const char* text) {
    return std::get<JudgeWork>(
               ReadSubmission(Json{{"task", "Sqrt"}, {"text", text}, {"form", "auto"}}, {})->work)
        .candidate.form;
  };
  EXPECT_EQ(form("@kernel\n@host"), Form::kProgram);
  EXPECT_EQ(form("OP_ADD(Sqrt);"), Form::kProject);
  EXPECT_EQ(form("__aicore__ void sqrt() {}"), Form::kKernel);
  const auto again = ReadSubmission(ToJson(*s), s->caller);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(ToJson(*again), ToJson(*s));
}

TEST(Submission, WhatMakesNoSenseIsNamed) {
  const std::pair<Json, const char*> bad[] = {
      {Json::array(), ""},
      {{{"text", "x"}}, "task"},
      {{{"task", 7}}, "task"},
      {{{"task", "Sqrt"}, {"fils", 1}}, "fils"},
      {{{"task", "Sqrt"}, {"files", {{"a", 1}}}}, "files"},
      {{{"task", "Sqrt"}, {"form", "exe"}}, "form"},
      {{{"task", "Sqrt"}, {"seed", -1}}, "seed"},
      {{{"task", "Sqrt"}, {"seed", 1.5}}, "seed"},
      {{{"task", "Sqrt"}, {"seed", "old"}}, "seed"},
      {{{"task", "Sqrt"}, {"deadline_ms", 0}}, "deadline_ms"},
      {{{"task", "Sqrt"}, {"deadline_ms", 1e300}}, "deadline_ms"},
      {{{"task", "Sqrt"}, {"priority", "highest"}}, "priority"},
      {{{"task", "Sqrt"}, {"time", "yes"}}, "time"},
  };
  for (const auto& [body, where] : bad) {
    const auto s = ReadSubmission(body, {});
    ASSERT_FALSE(s.ok()) << body;
    EXPECT_EQ(s.error().code, "AK0902");
    EXPECT_EQ(s.error().where, where) << body;
  }
}

TEST(Submission, FilesStayBelowTheirProject) {
  for (const char* good : {"op_kernel/a.cpp", "op_host/a_b-c.2.h", "a", "a/b/c/d"})
    EXPECT_TRUE(IsPlainPath(good)) << good;
  for (const char* bad : {"", "/", "/etc/passwd", "../a", "a/../b", "a/..", "./a", "a/./b", "a//b",
                          "a/", ".hidden", "a/.b", "a\\b", "a b", "a\nb", "C:a", "~", "a/\xc3\xa4"})
    EXPECT_FALSE(IsPlainPath(bad)) << bad;
  EXPECT_FALSE(IsPlainPath(std::string("a\0b", 3)));
  EXPECT_FALSE(IsPlainPath(std::string(201, 'a')));
}

// Whatever was not judged has no reward, and neither have verdicts that say nothing about the
// candidate.
TEST(Answer, FailureNeverBecomesANumber) {
  Answer a;
  a.sealed = true;
  for (auto ending : {Ending::kInvalid, Ending::kConflict, Ending::kOverloaded, Ending::kExpired,
                      Ending::kCancelled, Ending::kStopping, Ending::kFault}) {
    a.ending = ending, a.outcome = "pass";
    EXPECT_FALSE(a.Reward()) << NameOf(ending);
    EXPECT_NE(ReplyOf(a).status, 200) << NameOf(ending);
  }
  a.ending = Ending::kDone;
  EXPECT_EQ(a.Reward(), 1.0);
  for (const char* outcome : {"unsupported", "undecided", "infra_error", "made_up"}) {
    a.outcome = outcome;
    EXPECT_FALSE(a.Reward()) << outcome;
    EXPECT_TRUE(ToReply(a)["reward"].is_null()) << outcome;
  }
  EXPECT_EQ((a.outcome = "infra_error", ReplyOf(a).status), 503);
  a.outcome = "pass", a.sealed = false;
  EXPECT_FALSE(a.Reward());
}
TEST(EpisodeOptions, AtTheirLimits) {
  const struct {
    const char* options;
    std::string wrong;  // member and why; "": taken
  } rows[] = {
      {"{}", ""},
      {R"({"seed":0})", ""},
      {R"({"seed":null,"task":null})", ""},
      {R"({"seed":-1})", "seed: a seed is 0 or more"},
      {R"({"seed":1.5})", "seed: a seed is 0 or more"},
      {R"({"seed":"1"})", "seed: a seed is 0 or more"},
      {R"({"max_turns":1})", ""},
      {R"({"max_turns":0})", "max_turns: max_turns makes no sense"},
      {R"({"max_turns":1000})", ""},
      {R"({"max_turns":1001})", "max_turns: max_turns makes no sense"},
  };
  for (const auto& row : rows) {
    const auto o = EpisodeOptionsFromJson(Json::parse(row.options));
    EXPECT_EQ(o.ok() ? "" : o.error().where + ": " + o.error().message, row.wrong) << row.options;
    if (!o.ok()) EXPECT_EQ(o.error().code, "AK0902");
  }
  EXPECT_TRUE(EpisodeOptionsFromJson({{"episode_id", std::string(255, 'x')}}).ok());
  EXPECT_EQ(EpisodeOptionsFromJson({{"episode_id", std::string(256, 'x')}}).error().where,
            "episode_id");
  const auto all = *EpisodeOptionsFromJson({{"task", "Sqrt"},
                                            {"split", "level2"},
                                            {"index", 3},
                                            {"seed", 7},
                                            {"max_turns", 4},
                                            {"episode_id", "e"}});
  EXPECT_EQ(all.task + all.split + all.id, "Sqrtlevel2e");
  EXPECT_EQ(*all.index + *all.seed + uint64_t(all.max_turns), 14u);
  const auto none = *EpisodeOptionsFromJson({{"split", "level2"}, {"problem_id", "Abs"}});
  EXPECT_EQ(none.task + none.split + none.id, "Absall") << "a split belongs to an index";
  EXPECT_TRUE(!none.index && !none.seed && none.max_turns == 10);
}

TEST(KernelAction, IsCodeAndNothingElse) {
  const std::pair<const char*, std::string> rows[] = {
      {R"({"code":"x"})", ""},
      {R"({"code":"x","metadata":{}})", ""},
      {R"({"code":"x","codes":""})", "codes: an action has no such member"},
      {R"({"code":3})", "code: an action is {\"code\": TEXT}"},
      {R"({"metadata":{}})", "code: an action is {\"code\": TEXT}"},
      {R"([])", "code: an action is {\"code\": TEXT}"},
  };
  for (const auto& [action, wrong] : rows) {
    const auto a = KernelActionFromJson(Json::parse(action));
    EXPECT_EQ(a.ok() ? "" : a.error().where + ": " + a.error().message, wrong) << action;
  }
}

}  // namespace
}  // namespace akgen::serve
