#include "corpus/export/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>

#include "base/files.h"
#include "corpus/export/export.h"

namespace akgen::corpus {
namespace {
using base::Json;

Try Make(const std::string& answer, const std::string& verdict, double us = 0, int sample = 0,
         int turn = 0) {
  Try t;
  t.task = "Sqrt", t.prompt = {{"system", "s"}, {"user", "u"}}, t.answer = answer,
  t.verdict = verdict, t.modelled = {us, us, us}, t.sample = sample, t.turn = turn;
  t.sealed = true;
  t.source = "journal j", t.generator = "direct", t.reasoning = "r" + answer;
  if (verdict != "pass") t.feedback = "wrong: " + verdict;
  return t;
}

std::map<std::string, int> Kinds(const std::vector<Pair>& pairs) {
  std::map<std::string, int> out;
  for (const Pair& p : pairs) ++out[p.kind];
  return out;
}

const std::vector<Try> kTries = {
    Make("a", "pass", 10),    Make("b", "pass", 30),  Make("c", "wrong_answer"),
    Make("d", "finding"),     Make("e", "timeout"),   Make("f", "build_error"),
    Make("g", "unsupported"), Make("h", "undecided"), Make("i", "infra_error"),
    Make("j", "no_code"),     Make("k", "rejected")};

TEST(Pairs, TheOrderOfVerdicts) {
  auto pairs = MakePairs(kTries, {.per_task = 0});
  EXPECT_EQ(Kinds(pairs), (std::map<std::string, int>{{"pass>wrong_answer", 2},
                                                      {"pass>finding", 2},
                                                      {"pass>timeout", 2},
                                                      {"pass>build_error", 2},
                                                      {"finding>timeout", 1},
                                                      {"wrong_answer>timeout", 1},
                                                      {"wrong_answer>build_error", 1},
                                                      {"finding>build_error", 1},
                                                      {"timeout>build_error", 1},
                                                      {"faster", 1}}));
  for (const Pair& p : pairs) {
    if (p.kind == "faster") EXPECT_EQ(p.chosen->answer + p.rejected->answer, "ab");
    if (p.kind == "faster" || p.kind == "pass>build_error") EXPECT_EQ(p.margin, 3);
  }
}

TEST(Pairs, FasterOnlyBeyondWhatTheModelMayBeOff) {
  std::vector<Try> tries = {Make("a", "pass", 10), Make("b", "pass", 30)};
  auto faster = [&](const record::Modelled& a, const record::Modelled& b) {
    tries[0].modelled = a, tries[1].modelled = b;
    return MakePairs(tries, {}).size();
  };
  EXPECT_EQ(faster({10, 7, 25}, {30, 21, 75}), 1u);
  EXPECT_EQ(faster({10, 7, 31}, {30, 21, 75}), 0u) << "the slow one lies in the fast one's range";
  EXPECT_EQ(faster({10, 7, 25}, {30, 9, 75}), 0u) << "the fast one lies in the slow one's range";
}

TEST(Pairs, NothingThatIsNotSealed) {
  std::vector<Try> tries = {Make("a", "pass"), Make("b", "wrong_answer"),
                            Make("c", "build_error", 0, 1, 0), Make("d", "pass", 0, 1, 1)};
  EXPECT_EQ(MakePairs(tries, {}).size(), 5u);
  EXPECT_EQ(Passes(tries).size() + FindRepairs(tries).size(), 3u);
  for (Try& t : tries) t.sealed = t.verdict != "pass";
  EXPECT_EQ(Kinds(MakePairs(tries, {})),
            (std::map<std::string, int>{{"wrong_answer>build_error", 1}}));
  EXPECT_EQ(Passes(tries).size() + FindRepairs(tries).size(), 0u);
}

TEST(Pairs, ThePapersSetting) {
  for (const Pair& p : MakePairs(kTries, {.setting = "paper", .per_task = 0}))
    EXPECT_TRUE(p.kind.starts_with("pass>")) << p.kind;
  EXPECT_EQ(MakePairs(kTries, {.setting = "paper", .per_task = 0}).size(), 8u);
}

TEST(Pairs, TheLimitIsSpreadOverTheKinds) {
  auto kinds = Kinds(MakePairs(kTries, {.per_task = 10}));
  EXPECT_EQ(kinds.size(), 10u);
  // Of 14 pairs of ten kinds: as many as the limit, and another kind as long as there is one.
  for (size_t limit = 1; limit < 20; ++limit) {
    const auto pairs = MakePairs(kTries, {.per_task = limit});
    EXPECT_EQ(pairs.size(), std::min<size_t>(limit, 14)) << limit;
    EXPECT_EQ(Kinds(pairs).size(), std::min<size_t>(limit, 10)) << limit;
  }
}

TEST(Pairs, OfOnePromptAndTaskAndEachTextOnce) {
  std::vector<Try> tries = {Make("a", "pass"), Make("a", "pass"), Make("b", "wrong_answer"),
                            Make("b", "wrong_answer")};
  EXPECT_EQ(MakePairs(tries, {}).size(), 1u);
  tries[2].prompt[1].content = tries[3].prompt[1].content = "another";
  EXPECT_TRUE(MakePairs(tries, {}).empty());
  tries = {Make("a", "pass"), Make("b", "wrong_answer")};
  tries[1].task = "Abs";
  EXPECT_TRUE(MakePairs(tries, {}).empty());
  // One text, two verdicts: it depends on luck.
  EXPECT_TRUE(
      MakePairs({Make("a", "pass"), Make("a", "finding"), Make("b", "wrong_answer")}, {}).empty());
}

TEST(Repairs, AreFailuresWithTheNextTurnThatPasses) {
  std::vector<Try> tries = {Make("a", "build_error", 0, 0, 0), Make("b", "finding", 0, 0, 1),
                            Make("c", "pass", 0, 0, 2),        Make("d", "no_code", 0, 1, 0),
                            Make("e", "pass", 0, 1, 1),        Make("f", "wrong_answer", 0, 2, 0),
                            Make("g", "pass", 0, 3, 1)};
  auto repairs = FindRepairs(tries);
  ASSERT_EQ(repairs.size(), 1u);
  EXPECT_EQ(repairs[0].failed->answer + repairs[0].repaired->answer, "bc");
}

Json Parsed(const std::filesystem::path& file, bool lines) {
  std::string text = *base::ReadFile(file);
  if (!lines) return Json::parse(text);
  Json out = Json::array();
  for (size_t from = 0, end; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
    out.push_back(Json::parse(text.substr(from, end - from)));
  return out;
}

TEST(Export, WhatEachReaderExpects) {
  auto dir = base::TempDir::Create();
  std::vector<Try> tries = {Make("bad", "finding", 0, 0, 0), Make("good", "pass", 0, 0, 1)};
  ASSERT_TRUE(Export(Build(tries, {}), tries, {}, dir->path()).ok());
  auto at = [&](const char* name, bool lines = true) { return Parsed(dir->path() / name, lines); };
  EXPECT_EQ(
      at("trl/preference.jsonl"),
      Json::parse(
          R"([{"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
    "chosen": [{"role": "assistant", "content": "<think>rgood</think>\ngood"}], "rejected": [{"role": "assistant", "content": "<think>rbad</think>\nbad"}]}])"));
  Json sft = at("trl/sft.jsonl");
  ASSERT_EQ(sft.size(), 2u);  // the answer, and the repair
  EXPECT_EQ(sft[1]["messages"].size(), 5u);
  EXPECT_EQ(sft[1]["messages"][3]["content"], "wrong: finding");
  Json alpaca = at("llama_factory/sft.json", false);
  EXPECT_EQ(
      alpaca[0],
      Json::parse(
          R"({"instruction": "u", "input": "", "output": "<think>rgood</think>\ngood", "system": "s", "history": []})"));
  EXPECT_EQ(alpaca[1]["history"], Json::parse(R"([["u", "bad"]])"));
  EXPECT_EQ(alpaca[1]["instruction"], "wrong: finding");
  Json preference = at("llama_factory/preference.json", false)[0];
  EXPECT_EQ(preference["conversations"], Json::parse(R"([{"from": "human", "value": "u"}])"));
  EXPECT_EQ(preference["chosen"]["from"], "gpt");
  Json sets = at("llama_factory/dataset_info.json", false);
  for (const auto& [name, set] : sets.items()) {
    Json row = at(("llama_factory/" + set["file_name"].get<std::string>()).c_str(), false)[0];
    for (const auto& [column, key] : set["columns"].items())
      EXPECT_TRUE(row.contains(key.get<std::string>())) << name << " " << column;
  }
  EXPECT_EQ(at("verl/rl.jsonl")[0]["reward_model"],
            Json::parse(R"({"style": "rule", "ground_truth": "Sqrt"})"));
  EXPECT_EQ(at("openai/preference.jsonl")[0]["preferred_output"],
            Json::parse(R"([{"role": "assistant", "content": "good"}])"));
  EXPECT_EQ(at("pairs.jsonl")[0]["kind"], "pass>finding");
  EXPECT_EQ(at("samples.jsonl")[1]["diagnosis"], "wrong: finding");
  EXPECT_EQ(at("card.json", false)["repairs"], 1);
}

TEST(Tries, JournalsAreRead) {
  auto dir = base::TempDir::Create();
  auto file = dir->path() / "j.jsonl";
  std::ofstream(file)
      << R"({"kind": "run", "schema": 1, "config": {"generator": "craft"}})"
         "\n"
      << R"({"kind": "prompt", "hash": "h", "messages": [{"role": "user", "content": "u"}]})"
         "\n"
      << R"({"kind": "turn", "task": "Sqrt", "sample": 2, "turn": 1, "prompt": "h", "answer": "a", "verdict": "pass", "sealed": true, "cases": [{"modelled_us": 2.0}, {"modelled_us": 3.0}, {"verdict": "skipped"}]})"
         "\n"
      << R"({"kind": "turn", "task": "Sq)";
  size_t changed = 0;
  auto tries = TriesFrom({file.string()}, changed);
  ASSERT_TRUE(tries.ok()) << tries.error().ToString();
  ASSERT_EQ(tries->size(), 1u);
  EXPECT_EQ(tries->at(0).prompt.at(0).content, "u");
  EXPECT_EQ(tries->at(0).modelled.us, 5);
  EXPECT_EQ(tries->at(0).generator, "craft");
  EXPECT_TRUE(tries->at(0).sealed);
}

TEST(Tries, WhatIsNoSourceIsRefused) {
  auto dir = base::TempDir::Create();
  std::ofstream(dir->path() / "notes") << "notes\n";
  std::ofstream(dir->path() / "other") << "{\"kind\": \"other\"}\n";
  std::ofstream(dir->path() / "store") << "SQLite format 3 and nothing else";
  size_t changed = 0;
  for (const char* name : {"none", "notes", "other", "store"}) {
    auto tries = TriesFrom({(dir->path() / name).string()}, changed);
    ASSERT_FALSE(tries.ok()) << name;
    EXPECT_EQ(tries.error().code, "AK0801") << name;
  }
}

TEST(Tries, AJournalWithoutAQuestionTeachesNothing) {
  auto dir = base::TempDir::Create();
  using Messages = std::vector<generate::Message>;
  const Messages broken[] = {{},
                             {{"system", "s"}},
                             {{"assistant", "a"}},
                             {{"user", "u"}, {"user", "u"}},
                             {{"user", "u"}, {"assistant", "a"}},
                             {{"user", "u"}, {"system", "s"}},
                             {{"", "u"}}};
  for (const Messages& prompt : broken) {
    std::vector<Try> tries = {Make("bad", "finding"), Make("good", "pass", 10, 0, 1),
                              Make("slow", "pass", 30)};
    for (Try& t : tries) t.prompt = prompt;
    const Built built = Build(tries, {});
    EXPECT_TRUE(built.passes.empty() && built.repairs.empty() && built.pairs.empty());
    tries.push_back(Make("other", "pass", 20));
    tries.back().task = "Gelu";
    ASSERT_TRUE(Export(Build(tries, {}), tries, {}, dir->path()).ok());
    const Json card = Json::parse(*base::ReadFile(dir->path() / "card.json"));
    EXPECT_EQ(card["without_question"], 3);
    EXPECT_EQ(card["answers"], 1);
    const std::string rl = *base::ReadFile(dir->path() / "verl/rl.jsonl");
    EXPECT_EQ(std::count(rl.begin(), rl.end(), '\n'), 1);
  }
}

TEST(Pairs, TheLastTurnThereCanBe) {
  auto tries = std::vector{Make("bad", "finding", 0, 0, std::numeric_limits<int>::max()),
                           Make("good", "pass", 1)};
  EXPECT_TRUE(FindRepairs(tries).empty());
}
}  // namespace
}  // namespace akgen::corpus
