// What errors of models, replies and journals say, to the letter, and what is read at the limits.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "base/files.h"
#include "generate/journal.h"
#include "generate/reply.h"
#include "generate/script_model.h"
#include "replies.h"

namespace akgen::generate {
namespace {
using base::Json;

const std::string kOtherFile =
    "|name another file with --journal, or give this one space and rights";

TEST(Journal, CountsAllThatItHolds) {
  auto dir = base::TempDir::Create();
  auto path = dir->path() / "j";
  const auto turn = [](const char* task, int number, bool cached, const char* verdict) {
    return Json{{"kind", "turn"},     {"task", task},           {"sample", 0},
                {"turn", number},     {"verdict", verdict},     {"seed", 1},
                {"prompt_tokens", 5}, {"completion_tokens", 3}, {"cached", cached},
                {"model_ms", 1.5},    {"judge_ms", 2.5}};
  };
  {
    auto j = Journal::Open(path, {{"seed", 1}});
    ASSERT_TRUE((*j)->Add(record::ToJson(record::PromptLine{"h", "T", {}})).ok());
    ASSERT_TRUE((*j)->Add(turn("T", 0, false, "finding")).ok());
    ASSERT_TRUE((*j)->Add(turn("T", 1, true, "pass")).ok());
    ASSERT_TRUE((*j)->Add(turn("U", 0, false, "finding")).ok());
    ASSERT_TRUE((*j)->Add(record::ToJson(record::TroubleLine{"U", "AK0701", "m", 0, 1})).ok());
    record::SampleEnd end;
    end.task = "T", end.verdict = "pass", end.turns = 2, end.best_turn = 1, end.own_ms = 0.5;
    ASSERT_TRUE((*j)->Add(record::ToJson(end)).ok());
    end.task = "V", end.verdict = "finding";
    ASSERT_TRUE((*j)->Add(record::ToJson(end)).ok());
  }
  auto j = Journal::Open(path, {{"seed", 1}});
  ASSERT_TRUE(j.ok()) << j.error().ToString();
  EXPECT_EQ(ToJson((*j)->Totals()), Json::parse(R"({"turns": 3, "cached": 1, "prompt_tokens": 15,
      "completion_tokens": 9, "trouble": 1, "model_ms": 4.5, "judge_ms": 7.5, "own_ms": 1.0,
      "verdicts_of_turns": {"finding": 2, "pass": 1}})"));
  EXPECT_TRUE((*j)->HasPrompt("h"));
  EXPECT_FALSE((*j)->HasPrompt("i"));
  EXPECT_TRUE((*j)->Passed("T"));
  EXPECT_FALSE((*j)->Passed("U") || (*j)->Passed("V"));
  EXPECT_TRUE((*j)->State("T", 0).turns.empty()) << "a sample that has ended needs them no longer";
  EXPECT_EQ((*j)->State("U", 0).turns.size(), 1u);
  EXPECT_TRUE((*j)->State("U", 1).turns.empty());
  const auto ended = (*j)->Ended();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended.at({"T", 0}).best_turn, 1u);
}

TEST(Journal, WhatIsWrongWithOneIsNamed) {
  auto dir = base::TempDir::Create();
  const auto path = dir->path() / "j";
  { auto j = Journal::Open(path, {{"a", 1}, {"b", 2}, {"c", 3}}); }
  const auto opened = [&](const Json& config) {
    auto j = Journal::Open(path, config);
    return j.ok() ? "" : Said(j.error());
  };
  const std::string resume =
      "|resume with the options the run was started with, or name a new journal";
  EXPECT_EQ(opened({{"a", 0}, {"b", 2}, {"c", 0}}),
            "AK0706|the journal is of another run; it differs in: a, c|" + path.string() + resume);
  EXPECT_EQ(opened({{"a", 1}, {"d", 4}}),
            "AK0706|the journal is of another run; it differs in: d|" + path.string() + resume);
  {
    auto held = Journal::Open(path, {{"a", 1}});
    EXPECT_EQ(opened({{"a", 1}}), "AK0707|another process writes this journal|" + path.string() +
                                      "|wait for it, or name another file with --journal");
  }
  std::ofstream(path, std::ios::app) << "rubbish\nrubbish\n";
  EXPECT_EQ(opened({{"a", 1}}),
            "AK0707|this line is none of a journal|" + path.string() + ":2" + kOtherFile);
  std::ofstream(path) << R"({"kind":"turn","task":"T"})"
                         "\n";
  EXPECT_EQ(opened({}), "AK0706|the journal is of another run; it differs in: its first line|" +
                            path.string() + resume);
  std::ofstream(path) << R"({"kind":"run","schema":2,"version":"9.0.0","config":{}})"
                         "\n";
  EXPECT_EQ(opened({}), "AK0710|the journal is of a later version of akgen, 9.0.0|" +
                            path.string() + "|resume with that version, or name a new journal");
  EXPECT_EQ(Said(Journal::Open(dir->path() / "no" / "j", {}).error()),
            "AK0707|cannot open the journal: No such file or directory|" +
                (dir->path() / "no" / "j").string() + kOtherFile);
  EXPECT_EQ(Said(ReadLines(dir->path() / "none", [](const Json&) {}).error()),
            "AK0707|cannot read the journal: No such file or directory|" +
                (dir->path() / "none").string() + kOtherFile);
}

// Of a line that no longer fits nothing stays.
TEST(Journal, AFullDiskLeavesWholeLines) {
  auto dir = base::TempDir::Create();
  const auto path = dir->path() / "j";
  auto j = Journal::Open(path, {{"seed", 1}});
  ASSERT_TRUE(j.ok());
  const auto bytes = std::filesystem::file_size(path);
  rlimit before{}, little{bytes + 20, RLIM_INFINITY};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  little.rlim_max = before.rlim_max;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const base::Status s = (*j)->Add({{"kind", "turn"}, {"task", "a task with a long name"}});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(Said(s.error()),
            "AK0707|cannot write the journal: File too large|" + path.string() + kOtherFile);
  EXPECT_EQ(std::filesystem::file_size(path), bytes);
  EXPECT_EQ((*j)->Totals().turns, 0u) << "what is not written is not counted";
}

TEST(Model, AFolderWithoutWeightsIsRefusedWhenItIsLoaded) {
  if (!std::filesystem::exists(base::ExecutableDir() / "akgen-lm"))
    GTEST_SKIP() << "built without akgen-lm";
  auto dir = base::TempDir::Create();
  std::ofstream(dir->path() / "config.json") << "{}";
  ModelSettings s;
  s.url = dir->path().string();
  EXPECT_TRUE(IsLocal(s.url));
  auto model = MakeModel(s);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code.substr(0, 4), "AK19") << model.error().ToString();
  std::atomic<bool> stop{true};
  auto stopped = MakeModel(s, &stop);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, "AK0709");
}

TEST(Model, WhyASettingMakesNoSense) {
  const auto said = [](const char* url, const char* api = "chat") {
    ModelSettings s;
    s.url = url, s.api = api;
    auto m = MakeModel(s);
    return m.ok() ? "" : Said(m.error());
  };
  EXPECT_EQ(said("ftp://x"),
            "AK0708|a model is an address, a folder with weights, or a file of answers|ftp://x|"
            "--model http://127.0.0.1:8000/v1, --model models/NAME, or --model "
            "script:answers.jsonl");
  const std::string secret =
      "AK0708|the address of a model may hold no user, password or query: it stands in every "
      "record|--model|put the key into $AKGEN_API_KEY";
  EXPECT_EQ(said("https://user@host/v1"), secret);
  EXPECT_EQ(said("https://host/v1?k=v"), secret);
  EXPECT_EQ(said("https://host/v1/@x"), "") << "behind the host it is a path";
  EXPECT_EQ(said("http://host", "completions"), "");
  EXPECT_EQ(said("http://host", "chats"),
            "AK0708|there is no interface chats|--api|chat or completions");
}

TEST(Script, WhatIsWrongWithOneIsNamed) {
  auto dir = base::TempDir::Create();
  const std::string path = (dir->path() / "s").string();
  EXPECT_EQ(Said(ScriptModel::Load(path, "").error()),
            "AK0705|the file of answers cannot be read|" + path +
                "|--model script:FILE names a file of JSON lines");
  const auto said = [&](const char* text) {
    std::ofstream(path) << text;
    auto m = ScriptModel::Load(path, "");
    return m.ok() ? "" : Said(m.error());
  };
  const std::string none = "AK0705|this line is not an answer|" + path,
                    line = R"(|write {"when": {"task": "Sqrt", "turn": 0}, "text": "…"})";
  EXPECT_EQ(said("\n \t\r\n{}\n"), none + ":3" + line);
  EXPECT_EQ(said("{\"text\": \"x\"}\n{\"text\": 3}"), none + ":2" + line);
  EXPECT_EQ(said(R"({"file": "f"})"), "AK0705|the answer's file cannot be read|" + path + ":1|" +
                                          (dir->path() / "f").string());
  EXPECT_EQ(said(R"({"when": {"a": 1}, "text": "x", "completion_tokens": 7})"), "");
  auto m = ScriptModel::Load(path, "");
  const auto got = (*m)->Ask({{}, 0, 0, {{"a", 1}, {"b", 2}}});
  ASSERT_TRUE(got.ok());
  ASSERT_EQ(got->size(), 1u);
  EXPECT_EQ(got->at(0).finish, "stop");
  EXPECT_EQ(got->at(0).completion_tokens, 7);
  EXPECT_EQ(Said((*m)->Ask({{}, 1, 0, {{"b", 2}}}).error()),
            "AK0705|the script has no answer for {\"b\":2}|" + path +
                "|add a line whose \"when\" this meets");
}

TEST(Reply, WhatEachBrokenOneIs) {
  const std::string long_one(1001, 'a');
  const auto said = [&](const std::string& body, bool stream, size_t most = 1000) {
    std::string problem;
    const auto a = Read(body, stream, problem, 7, most);
    return a.empty() ? problem : a[0].finish + " " + std::to_string(a[0].text.size());
  };
  const auto event = [](const char* text) { return std::string("data: ") + text + "\n\n"; };
  EXPECT_EQ(said("", true), "the stream ended before the answer did");
  EXPECT_EQ(said("data: [DONE]\n\n", true), "the reply holds no choices");
  EXPECT_EQ(said(event("rubbish") + "data: [DONE]\n\n", true),
            "an event of the stream is not JSON");
  EXPECT_EQ(said(event(R"({"error": {"message": "busy"}})"), true), "the endpoint reports: busy");
  EXPECT_EQ(said(event(R"({"error": {"code": 3}})"), true), "the endpoint reports: {\"code\":3}");
  EXPECT_EQ(said(R"({"error": null, "choices": [3]})", false), "the reply holds no choices");
  EXPECT_EQ(said(Event(Delta("a")) + "data: [DONE]\n\n", true), " 1");
  EXPECT_EQ(said(Event(Delta(long_one.substr(1))) + Event(End()), true), "stop 1000");
  EXPECT_EQ(said(Event(Delta(long_one)) + Event(End()), true), "too_long 1000");
  EXPECT_EQ(
      said(Event(Delta(long_one.substr(1), "reasoning_content")) + Event(Delta("a")) + Event(End()),
           true),
      "too_long 1")
      << "together";
  // Beyond twice the limit and 64 KiB no whole reply, nor a line, is read on.
  const size_t room = 2 * 1000 + (1 << 16);
  const std::string whole = R"({"choices": [{"message": {"content": "b"}}]})";
  EXPECT_EQ(said(whole + std::string(room - whole.size(), ' '), false), " 1");
  EXPECT_EQ(said(whole + std::string(room - whole.size() + 1, ' '), false), "too_long 0");
  EXPECT_EQ(said("data: " + std::string(room + 1, 'a'), true), "too_long 0");
}

TEST(Reply, CountsAndPlacesThatAreNone) {
  std::string problem;
  const auto counts = [&](const char* usage) {
    const auto a = Read(std::string(R"({"choices": [{"text": "x"}], "usage": )") + usage + "}",
                        false, problem);
    return std::to_string(a.at(0).prompt_tokens) + " " + std::to_string(a.at(0).completion_tokens);
  };
  EXPECT_EQ(counts(R"({"prompt_tokens": 1, "completion_tokens": 2.9})"), "1 2");
  EXPECT_EQ(counts(R"({"prompt_tokens": -1, "completion_tokens": "2"})"), "0 0");
  EXPECT_EQ(counts(R"({"prompt_tokens": 1e12, "completion_tokens": 999999999999})"),
            "0 999999999999");
  EXPECT_EQ(counts("[]"), "0 0");
  const auto places = [&](const char* index) {
    problem.clear();
    return Read(std::string(R"({"choices": [{"index": )") + index + R"(, "text": "x"}]})", false,
                problem)
        .size();
  };
  EXPECT_EQ(places("255"), 256u);
  EXPECT_EQ(places("256"), 0u);
  EXPECT_EQ(places("-1"), 1u);
  problem.clear();
  const auto a = Read(
      R"({"choices": [{"message": {"content": "x", "reasoning": "r"}},
                      {"index": 1, "message": {"reasoning_content": "q", "reasoning": "r"}}]})",
      false, problem);
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a[0].reasoning + a[1].reasoning, "rq");
}

TEST(Answer, EveryFieldComesBack) {
  Answer a;
  a.text = "t", a.reasoning = "r", a.finish = "f", a.prompt_tokens = 3, a.completion_tokens = 4;
  EXPECT_FALSE(ToJson(a).contains("logprobs"));
  a.logprobs = {{"content", {1}}};
  const Json j = ToJson(a);
  EXPECT_EQ(j, Json::parse(R"({"text": "t", "reasoning": "r", "finish": "f", "prompt_tokens": 3,
                               "completion_tokens": 4, "logprobs": {"content": [1]}})"));
  EXPECT_EQ(ToJson(AnswerFromJson(j)), j);
  EXPECT_EQ(AnswerFromJson(Json::object()).text, "");
}

}  // namespace
}  // namespace akgen::generate
