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

// What is wrong with a member, at its limits; "" where nothing is.
TEST(Submission, MembersAtTheirLimits) {
  const struct {
    const char* body;
    std::string wrong;
  } rows[] = {
      {R"({"deadline_ms": 86400000})", ""},
      {R"({"deadline_ms": 86400000.5})", "above 0, at most a day"},
      {R"({"deadline_ms": 0.5})", ""},
      {R"({"deadline_ms": 1})", ""},
      {R"({"deadline_ms": -0.5})", "above 0, at most a day"},
      {R"({"deadline_ms": "1"})", "a number of milliseconds"},
      {R"({"hidden": 0})", ""},
      {R"({"hidden": 64})", ""},
      {R"({"hidden": 65})", "a number of hidden cases, 0 to 64"},
      {R"({"hidden": -1})", "a number of hidden cases, 0 to 64"},
      {R"({"hidden": 1.0})", "a number of hidden cases, 0 to 64"},
      {R"({"seed": 0})", ""},
      {R"({"seed": 18446744073709551615})", ""},
      {R"({"seed": -1})", "a whole number, or \"fresh\""},
      {R"({"form": "exe"})", "project, kernel, program or auto"},
      {R"({"form": 1})", "project, kernel, program or auto"},
      {R"({"priority": "urgent"})", "high, normal or low"},
      {R"({"files": []})", "an object: path to content"},
      {R"({"text": 1})", "a text"},
      {R"({"cases": "0"})", "a list of case ids"},
      {R"({"chip": 1})", "a chip's name"},
      {R"({"precision": 1})", "strict or upstream"},
      {R"({"inputs": 1})", "wide or upstream"},
      {R"({"time": 1})", "true or false"},
      {R"({"timeline": 1})", "true or false"},
      {R"({"profile": 1})", "true or false"},
      {R"({"edits": 1})", "true or false"},
      {R"({"cache": 1})", "true or false"},
      {R"({"project": 1})", "a text"},
      {R"({"other": 1})", "not a member that is known"},
  };
  for (const auto& row : rows) {
    Json body = Json::parse(row.body);
    const std::string member = body.begin().key();
    body["task"] = "Sqrt";
    const auto s = ReadSubmission(body, {});
    ASSERT_EQ(s.ok(), row.wrong.empty()) << row.body;
    if (s.ok()) continue;
    EXPECT_EQ(s.error().message, "a member is not what it should be: " + row.wrong) << row.body;
    EXPECT_EQ(s.error().where, member);
    EXPECT_EQ(s.error().fix, "GET /openapi.json describes them all");
  }
  const auto deadline = [](double ms) {
    return ReadSubmission(Json{{"task", "Sqrt"}, {"deadline_ms", ms}}, {})->deadline.count();
  };
  EXPECT_EQ(deadline(0.5), 1) << "a deadline is never no deadline";
  EXPECT_EQ(deadline(1500), 1501);
  const auto where = [](const std::string& name) {
    return ReadSubmission(Json{{"task", "Sqrt"}, {name, 1}}, {}).error().where;
  };
  EXPECT_EQ(where(std::string(100, 'm')), std::string(100, 'm'));
  EXPECT_EQ(where(std::string(101, 'm')), std::string(100, 'm'));
}

TEST(Submission, EveryMemberGoesThroughTheJournal) {
  const Json all{{"task", "Sqrt"},
                 {"files", {{"a", "x"}}},
                 {"text", "t"},
                 {"form", "program"},
                 {"cases", {"0"}},
                 {"chip", "910B3"},
                 {"precision", "upstream"},
                 {"inputs", "upstream"},
                 {"seed", 7},
                 {"hidden", 3},
                 {"time", true},
                 {"timeline", true},
                 {"profile", true},
                 {"edits", true},
                 {"project", "mine"},
                 {"priority", "high"},
                 {"deadline_ms", 1500},
                 {"cache", false}};
  const auto s = ReadSubmission(all, {"p", "n"});
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(ToJson(*s), all);
  EXPECT_EQ(KeptToJson(*s), (Json{{"submission", all}, {"name", "n"}}));
  const auto kept = KeptFromJson(KeptToJson(*s), "q");
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(ToJson(*kept), all);
  EXPECT_EQ(kept->caller.principal + kept->caller.name, "qn");
  EXPECT_FALSE(KeptFromJson({{"name", "n"}}, "q").ok());
  EXPECT_FALSE(KeptFromJson({{"submission", all}}, "q").ok());
  const auto none = ReadSubmission(Json{{"task", "Sqrt"}}, {});
  EXPECT_EQ(ToJson(*none), (Json{{"task", "Sqrt"},
                                 {"form", "project"},
                                 {"cases", Json::array()},
                                 {"chip", chip::kDefaultChip},
                                 {"precision", "strict"},
                                 {"inputs", "wide"},
                                 {"time", false},
                                 {"timeline", false},
                                 {"profile", false},
                                 {"edits", false},
                                 {"project", ""},
                                 {"priority", "normal"},
                                 {"cache", true}}));
}

TEST(Submission, BodiesKeysAndBatches) {
  Request r;
  r.path = "/v1/judge", r.body = R"({"task": "Sqrt"})";
  r.headers["idempotency-key"] = std::string(200, 'k');
  EXPECT_EQ(ReadSubmission(r)->key.size(), 200u);
  r.headers["idempotency-key"] += 'k';
  const auto said = [](const auto& s) {
    return s.ok() ? ""
                  : s.error().code + "|" + s.error().message + "|" + s.error().where + "|" +
                        s.error().fix;
  };
  EXPECT_EQ(said(ReadSubmission(r)),
            "AK0902|the idempotency key is longer than 200 characters|"
            "Idempotency-Key|a UUID will do");
  r.body = "{";
  EXPECT_EQ(said(ReadSubmission(r)),
            "AK0902|the body is no JSON, or nests too deep|/v1/judge|send application/json");
  EXPECT_EQ(said(ReadSubmission(Json::array(), {})),
            "AK0902|the body is no JSON object||GET /openapi.json describes it");
  EXPECT_EQ(said(ReadSubmission(Json::object(), {})),
            "AK0902|no task is named|task|GET /v1/tasks lists them");
  const std::string batch =
      "AK0902|a batch is {\"requests\": [at most 10000]}|requests|GET "
      "/openapi.json describes it";
  EXPECT_EQ(said(BatchFromJson(Json::array(), {})), batch);
  EXPECT_EQ(said(BatchFromJson({{"requests", 1}}, {})), batch);
  Json many = Json::array();
  for (int i = 0; i < 10000; ++i) many.push_back(1);
  EXPECT_EQ(BatchFromJson({{"requests", many}}, {})->size(), 10000u);
  many.push_back(1);
  EXPECT_EQ(said(BatchFromJson({{"requests", many}}, {})), batch);
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
      {R"({"seed":18446744073709551615})", ""},
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
