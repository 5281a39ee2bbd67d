#include "learn/prefer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <sstream>

#include "base/files.h"
#include "corpus/compose/composed_task.h"
#include "corpus/compose/random.h"
#include "learn/reinforce.h"

namespace akgen::learn {
namespace {
using base::Json;

Json Answer(const char* text, const char* verdict, double us = 0) {
  Json j{{"text", text},
         {"verdict", verdict},
         {"reason", std::string("of ") + text},
         {"sealed", true}};
  if (us > 0) j["us"] = us;
  return j;
}
Json Line(const std::vector<Json>& answers) {
  return {{"kind", "problem"},
          {"id", "composed 1 1"},
          {"composed", true},
          {"operations", "add"},
          {"planner", Answer("planned", "pass", 5)},
          {"answers", answers}};
}

std::vector<OwnPair> Pairs(const Json& line, const PreferOptions& o) {
  return PairsOf(*ProblemLineFromJson(line), o);
}

std::string Text(const std::vector<OwnPair>& pairs) {
  std::string out;
  for (const OwnPair& p : pairs) out += p.kind + ":" + p.chosen + ">" + p.rejected + " ";
  return out;
}

TEST(Prefer, WhatPassesStandsOverWhatTellsMost) {
  Json line = Line({Answer("r", "refused"), Answer("n", "no_code"), Answer("a", "pass", 9),
                    Answer("t", "timeout"), Answer("w", "wrong_answer"),
                    Answer("w", "wrong_answer"), Answer("f", "finding"), Answer("b", "pass", 3)});
  line["answers"][6]["right_values"] = true;
  PreferOptions o;
  o.per_prompt = 9;
  EXPECT_EQ(
      Text(Pairs(line, o)),
      "pass>finding:b>f pass>wrong_answer:a>w pass>timeout:b>t pass>refused:a>r pass>no_code:b>n ");
  o.per_prompt = 1;
  EXPECT_EQ(Text(Pairs(line, o)), "pass>finding:b>f ");
  EXPECT_EQ(Pairs(line, o)[0].reason, "of f");
  line["answers"][6]["right_values"] =
      false;  // no better than a wrong answer, which comes before it
  EXPECT_EQ(Text(Pairs(line, o)), "pass>wrong_answer:b>w ");
}

TEST(Prefer, WithPerformanceTheFastestIsChosen) {
  const Json line = Line({Answer("a", "pass", 9), Answer("b", "pass", 3), Answer("c", "pass"),
                          Answer("w", "wrong_answer"), Answer("f", "finding")});
  PreferOptions o;
  o.time = true;
  // c has no time: it is behind those that have one, and is not called slow.
  EXPECT_EQ(Text(Pairs(line, o)), "pass>wrong_answer:b>w pass>finding:b>f ");
  const Json timed =
      Line({Answer("a", "pass", 9), Answer("b", "pass", 3), Answer("d", "pass", 3.1)});
  EXPECT_EQ(Text(Pairs(timed, o)), "faster:b>a ");
  Json wide = timed;
  for (Json& a : wide["answers"])
    a["range_us"] = {0.7 * a["us"].get<double>(), 3.5 * a["us"].get<double>()};
  EXPECT_EQ(Text(Pairs(wide, o)), "") << "9 us lies in the range of 3 us";
  o.faster = 4;
  EXPECT_EQ(Text(Pairs(timed, o)), "");
  o.time = false;
  EXPECT_EQ(Text(Pairs(timed, o)), "");
}

TEST(Prefer, ThePlannerStandsInWhereNothingPasses) {
  Json line = Line({Answer("w", "wrong_answer"), Answer("u", "unsupported"),
                    Answer("x", "undecided"), Answer("i", "infra_error"), Answer("k", "rejected")});
  PreferOptions o;
  EXPECT_EQ(Text(Pairs(line, o)), "planner>wrong_answer:planned>w ");
  o.planner = false;
  EXPECT_EQ(Text(Pairs(line, o)), "");
  o.planner = true;
  line["planner"]["verdict"] = "infra_error";
  EXPECT_EQ(Text(Pairs(line, o)), "");
}

TEST(Prefer, NothingThatIsNotSealedTeaches) {
  Json line = Line({Answer("a", "pass", 9), Answer("w", "wrong_answer")});
  PreferOptions o;
  EXPECT_EQ(Text(Pairs(line, o)), "pass>wrong_answer:a>w ");
  line["answers"][1]["sealed"] = false;
  EXPECT_EQ(Text(Pairs(line, o)), "");
  line["answers"][1]["sealed"] = true, line["answers"][0]["sealed"] = false;
  EXPECT_EQ(Text(Pairs(line, o)), "planner>wrong_answer:planned>w ");
  line["planner"].erase("sealed");
  EXPECT_EQ(Text(Pairs(line, o)), "");
}

TEST(Prefer, OneOfSeveralWithoutBias) {
  EXPECT_DOUBLE_EQ(OneOf(8, 2, 1), 0.25);
  EXPECT_DOUBLE_EQ(OneOf(8, 2, 8), 1);
  EXPECT_DOUBLE_EQ(OneOf(8, 0, 8), 0);
  EXPECT_DOUBLE_EQ(OneOf(4, 1, 2), 0.5);
  EXPECT_DOUBLE_EQ(OneOf(4, 2, 2), 1 - 1.0 / 6);
}

// A context that the first prompt does not fit, and all the others do.
class ShortOfContext : public generate::Model {
 public:
  base::Result<std::vector<generate::Answer>> Ask(const generate::Request& request) override {
    if (asked_++ == 0)
      return base::Error{"AK1930", "the prompt has 17137 tokens, the model's context 2304",
                         "prompt", "shorten the prompt"};
    return std::vector<generate::Answer>(static_cast<size_t>(request.n),
                                         generate::Answer{"no program"});
  }

 private:
  int asked_ = 0;
};

TEST(Prefer, WhatDoesNotFitTheContextIsCountedAndNotLeft) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "too_long";
  std::filesystem::remove_all(dir);
  ShortOfContext model;
  PreferOptions o;
  o.model = &model;
  o.samples = 2;
  o.problems.compositions = 2;
  o.problems.seed = 3;
  auto card = Prefer(dir, o);
  ASSERT_TRUE(card.ok()) << card.error().ToString();
  EXPECT_EQ(card->too_long, 1u);
  EXPECT_EQ(card->left, 0u);
  EXPECT_EQ(card->all.answers, 2u);
  std::filesystem::remove_all(dir);
}

// The journal with each problem as `change` leaves it.
std::string Changed(const std::string& journal, const std::function<void(Json&)>& change) {
  std::string out;
  std::istringstream in(journal);
  for (std::string line; std::getline(in, line);) {
    Json j = Json::parse(line);
    if (j["kind"] == "problem") change(j);
    out += j.dump() + "\n";
  }
  return out;
}

// Verdicts that are in the journal already are counted and not asked for again.
TEST(Prefer, RatesOfWhatTheJournalHolds) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "rates";
  std::filesystem::remove_all(dir);
  ShortOfContext model;
  PreferOptions o;
  o.model = &model;
  o.samples = 2;
  o.problems.compositions = 4, o.problems.seed = 3;
  o.jobs = 0;  // one at least
  std::atomic<bool> stop = false;
  o.stop = &stop;
  std::vector<std::string> shown;
  o.progress = [&](size_t done, size_t all, size_t before, const std::string& what) {
    if (what.ends_with("pass"))
      shown.push_back(std::to_string(done) + " of " + std::to_string(all) + ", " +
                      std::to_string(before) + " before: " + what);
  };
  auto first = Prefer(dir, o);
  ASSERT_TRUE(first.ok()) << first.error().ToString();
  EXPECT_EQ(shown, (std::vector<std::string>{"1 of 4, 0 before: 0 of 2 answers pass",
                                             "2 of 4, 0 before: 0 of 4 answers pass",
                                             "3 of 4, 0 before: 0 of 6 answers pass"}));
  auto text = base::ReadFile(dir / "journal.jsonl");
  ASSERT_TRUE(text.ok());
  // Of the three problems that were asked: one answer of two passes; all that count pass, but one
  // is undecided; the planner's own does not pass.
  const std::vector<std::vector<Json>> answers{
      {Answer("a", "pass", 9), Answer("w", "wrong_answer")},
      {Answer("a", "pass", 9), Answer("u", "undecided")},
      {Answer("a", "pass", 9), Answer("b", "pass", 3)}};
  size_t problem = 0;
  const std::string lines = Changed(*text, [&](Json& j) {
    uint64_t seed = corpus::MixBits(3);
    for (unsigned char c : j["id"].get<std::string>()) seed = corpus::MixBits(seed ^ c);
    EXPECT_EQ(j["inputs_seed"], seed >> 16) << "what JSON readers keep whole";
    j["answers"] = answers.at(problem);
    for (Json& a : j["answers"]) a["tokens"] = 10;
    j["planner"]["verdict"] = problem == 2 ? "finding" : "pass";
    ++problem;
  });
  ASSERT_EQ(problem, 3u);
  ASSERT_TRUE(base::WriteFileAtomic(dir / "journal.jsonl", lines).ok());
  ShortOfContext again;
  o.model = &again;
  auto card = Prefer(dir, o);
  ASSERT_TRUE(card.ok()) << card.error().ToString();
  EXPECT_EQ(card->too_long, 1u);
  EXPECT_EQ(card->left, 0u);
  EXPECT_EQ(card->samples, 2);
  EXPECT_EQ(card->all.problems, 2u);
  EXPECT_EQ(card->all.answers, 4u);
  EXPECT_EQ(card->all.verdicts,
            (std::map<std::string, size_t>{{"pass", 2}, {"undecided", 1}, {"wrong_answer", 1}}));
  EXPECT_EQ(card->all.pass_at, (std::map<int, double>{{1, 0.75}, {2, 1.0}}));
  EXPECT_EQ(card->composed.pass_at, card->all.pass_at);
  EXPECT_EQ(card->tasks.problems, 0u);
  EXPECT_EQ(card->tasks.pass_at, (std::map<int, double>{{1, 0.0}, {2, 0.0}}));
  EXPECT_EQ(card->unusable, (std::map<std::string, size_t>{{"finding", 1}}));
  EXPECT_EQ(card->kinds, (std::map<std::string, size_t>{{"pass>wrong_answer", 1}}));
  EXPECT_EQ(card->pairs, 1u);
  EXPECT_EQ(card->tokens, 40);
  const Json said = ToJson(*card);
  EXPECT_EQ(said["pass_at"], Json({{"1", 0.75}, {"2", 1.0}}));
  EXPECT_EQ(said, Json::parse(*base::ReadFile(dir / "card.json")));
  auto pairs = base::ReadFile(dir / "pairs.jsonl");
  ASSERT_TRUE(pairs.ok());
  const Json pair = Json::parse(*pairs);
  EXPECT_EQ(pair["chosen"].get<std::string>() + pair["rejected"].get<std::string>() +
                pair["reason"].get<std::string>(),
            "awof w");
  const std::string line = *base::ReadFile(dir / "trl/preference.jsonl");
  EXPECT_EQ(Json::parse(line)["chosen"][0]["content"], "a") << line;
  EXPECT_EQ(Json::parse(line)["rejected"][0]["content"], "w") << line;
  // One sample of each problem: its rate alone.
  o.samples = 1;
  EXPECT_FALSE(Prefer(dir, o).ok()) << "a journal of other settings";
  std::filesystem::remove_all(dir);
}

// What passes, each text once and so many of a problem; nothing more is asked for once it is
// stopped.
TEST(Prefer, PassesAreWrittenOnceAndSoManyOfAProblem) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "passes";
  std::filesystem::remove_all(dir);
  ShortOfContext model;
  std::atomic<bool> stop = false;
  PreferOptions o;
  o.model = &model, o.samples = 2, o.stop = &stop;
  o.problems.compositions = 3, o.problems.seed = 3;
  ASSERT_TRUE(Prefer(dir, o).ok());
  stop = true;
  const std::string journal = *base::ReadFile(dir / "journal.jsonl");
  for (const size_t most : {1, 2, 3}) {
    const std::string passing = Changed(journal, [](Json& j) {
      j["answers"] = {Answer("a", "pass"), Answer("a", "pass"), Answer("b", "pass"),
                      Answer("c", "pass"), Answer("d", "finding")};
      j["planner"]["verdict"] = "pass";
    });
    ASSERT_TRUE(base::WriteFileAtomic(dir / "journal.jsonl", passing).ok());
    o.per_prompt = most;
    const auto stopped = Prefer(dir, o);
    ASSERT_TRUE(stopped.ok()) << stopped.error().ToString();
    EXPECT_EQ(stopped->left, 1u);
    const std::string passes = *base::ReadFile(dir / "trl/sft.jsonl");
    EXPECT_EQ(size_t(std::count(passes.begin(), passes.end(), '\n')), 2 * most);
  }
  std::filesystem::remove_all(dir);
}

TEST(Prefer, ALineAndACardComeBackWhole) {
  const Json answer = Json::parse(R"({"verdict": "pass", "reason": "r", "sealed": true,
      "right_values": true, "bound_share": 0.25, "text": "t", "us": 2.0,
      "range_us": [1.5, 3.0]})");
  Json own = answer;
  own.update({{"finish", "stop"}, {"tokens", 7}, {"redraws", 2}});
  Json plain = own;
  plain.erase("redraws"), plain["right_values"] = false;
  const Json line{{"kind", "problem"},      {"id", "i"},         {"composed", true},
                  {"operations", "o"},      {"planner", answer}, {"inputs_seed", 9},
                  {"answers", {own, plain}}};
  EXPECT_EQ(ToJson(*ProblemLineFromJson(line)), line);
  EXPECT_FALSE(ProblemLineFromJson({{"kind", "run"}}));
  Json most = line;
  most["answers"][0]["tokens"] = (int64_t{1} << 40) + 1, most["answers"][1]["tokens"] = -1;
  const auto clamped = ProblemLineFromJson(most);
  EXPECT_EQ(clamped->answers[0].tokens, int64_t{1} << 40);
  EXPECT_EQ(clamped->answers[1].tokens, 0);

  PreferCard c;
  c.samples = 1, c.passed_over = 2, c.left = 3, c.too_long = 4, c.pairs = 5, c.tokens = 6;
  c.troubles = {"t"}, c.unusable = {{"u", 7}}, c.kinds = {{"k", 8}}, c.model = "m";
  c.all = {9, 10, {{"pass", 11}}, {{1, 0.5}, {2, 0.75}}};
  c.composed = {12, 13, {{"w", 14}}, {{1, 0.25}}}, c.tasks = {15, 16, {}, {}};
  EXPECT_EQ(ToJson(c), Json::parse(R"({"schema": 1, "reward_version": )" +
                                   Json(record::kRewardVersion).dump() + R"(, "samples": 1,
      "passed_over": 2, "left": 3, "too_long": 4, "pairs": 5, "tokens": 6, "troubles": ["t"],
      "unusable": {"u": 7}, "kinds": {"k": 8}, "model": "m", "problems": 9, "answers": 10,
      "verdicts": {"pass": 11}, "pass_at": {"1": 0.5, "2": 0.75},
      "composed": {"problems": 12, "answers": 13, "verdicts": {"w": 14}, "pass_at": {"1": 0.25}},
      "tasks": {"problems": 15, "answers": 16, "verdicts": {}, "pass_at": {}}})"));
}

TEST(Prefer, BothSidesOfFasterAndOfTheNumberOfPairs) {
  PreferOptions o;
  o.time = true, o.faster = 2;
  EXPECT_EQ(Text(Pairs(Line({Answer("a", "pass", 8), Answer("b", "pass", 4)}), o)), "faster:b>a ");
  EXPECT_EQ(Pairs(Line({Answer("a", "pass", 8), Answer("b", "pass", 4)}), o)[0].reason,
            "8.00 us instead of 4.00 us");
  EXPECT_EQ(Text(Pairs(Line({Answer("a", "pass", 7.99), Answer("b", "pass", 4)}), o)), "");
  EXPECT_EQ(Text(Pairs(Line({Answer("a", "pass", 8)}), o)), "");
  o.time = false, o.per_prompt = 2;
  EXPECT_EQ(Text(Pairs(Line({Answer("a", "pass"), Answer("w", "wrong_answer"),
                             Answer("x", "wrong_answer"), Answer("y", "wrong_answer")}),
                       o)),
            "pass>wrong_answer:a>w pass>wrong_answer:a>x ");
  o.per_prompt = 0;
  EXPECT_EQ(Text(Pairs(Line({Answer("a", "pass"), Answer("w", "wrong_answer")}), o)), "");
}

// Never answers.
class Silent : public generate::Model {
 public:
  base::Result<std::vector<generate::Answer>> Ask(const generate::Request& request) override {
    std::lock_guard lock(mutex_);
    asked.push_back(request);
    return base::Error{"AK0701", "no answer", "", ""};
  }
  std::vector<generate::Request> asked;

 private:
  std::mutex mutex_;
};

TEST(Prefer, AModelThatFailsEndsTheRunSoon) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "silent";
  for (int resample : {0, 1}) {
    std::filesystem::remove_all(dir);
    Silent model;
    PreferOptions o;
    o.model = &model, o.samples = 2, o.resample = resample;
    o.problems.compositions = 5, o.problems.seed = 3;
    auto card = Prefer(dir, o);
    ASSERT_TRUE(card.ok()) << card.error().ToString();
    EXPECT_EQ(card->troubles.size(), 3u);
    EXPECT_EQ(card->left, 5u);
    EXPECT_EQ(card->all.problems, 0u);
    EXPECT_EQ(ToJson(*card)["pass_at"], Json({{"1", 0.0}, {"2", 0.0}}));
    ASSERT_EQ(model.asked.size(), resample ? 6u : 3u);
    const generate::Request& r = model.asked[0];
    EXPECT_EQ(r.n, resample ? 1 : 2);
    EXPECT_EQ(r.tags["generator"], "craft");
    EXPECT_TRUE(r.tags["task"].get<std::string>().starts_with("composed 3 "));
    ASSERT_EQ(r.messages.size(), 1u);
    EXPECT_EQ(r.messages[0].role, "user");
    if (!resample) continue;
    const uint64_t one = r.seed, two = model.asked[1].seed;
    EXPECT_EQ(std::max(one, two) - std::min(one, two), 1u) << "the samples of one problem";
  }
  std::filesystem::remove_all(dir);
}

// Columns, lists and attributes of a composition are those of its task.
TEST(Prefer, ACompositionIsATask) {
  size_t lists = 0, columns = 0;
  for (uint64_t index = 0; index < 40; ++index) {
    const corpus::Composition c = corpus::RandomComposition(7, index);
    const task::TaskSpec t = corpus::ComposedTask(c);
    ASSERT_EQ(t.cases.size(), c.cases.size());
    lists += c.lists, columns += c.dtypes.size() > 1;
    EXPECT_EQ(t.reference.find("functional"), std::string::npos) << t.reference;
    for (size_t k = 0; k < t.cases.size(); ++k) {
      auto one = task::ResolveCase(t, t.cases[k]);
      ASSERT_TRUE(one.ok()) << one.error().message;
      const corpus::Extents& e = c.cases[k];
      ASSERT_EQ(one->inputs.size(), c.inputs.size());
      for (size_t i = 0; i < c.inputs.size(); ++i) {
        const corpus::CompositionInput& in = c.inputs[i];
        ASSERT_EQ(one->inputs[i].tensors.size(), !Present(in, e)         ? 0u
                                                 : c.lists && !in.single ? e.tensors
                                                                         : 1u);
        if (!Present(in, e)) continue;
        EXPECT_EQ(one->inputs[i].tensors[0].dtype, DtypeOfInput(c, in, e.column));
        EXPECT_EQ(
            one->inputs[i].tensors.back().shape,
            ShapeOf(ShapeIn(in, e), c.lists && !in.single ? TensorOfList(e, e.tensors - 1) : e));
      }
      for (size_t o = 0; o < c.outputs.size(); ++o)
        EXPECT_EQ(one->outputs[o].tensors[0].dtype, DtypeOfOutput(c, o, e.column));
      ASSERT_EQ(one->attrs.size(), c.attrs.size());
      for (size_t a = 0; a < c.attrs.size(); ++a)
        EXPECT_EQ(one->attrs[a].value, ValueOf(c.attrs[a], e));
    }
  }
  EXPECT_GT(lists, 0u);
  EXPECT_GT(columns, 0u);
}
}  // namespace
}  // namespace akgen::learn
