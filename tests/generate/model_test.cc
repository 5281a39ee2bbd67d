#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/files.h"
#include "base/regex.h"
#include "generate/api_text.h"
#include "generate/endpoint.h"
#include "generate/journal.h"
#include "generate/prompt.h"
#include "generate/reply.h"
#include "generate/resample.h"
#include "generate/script_model.h"
#include "replies.h"

namespace akgen::generate {
namespace {
using base::Json;
using base::Result;

TEST(Reply, StreamsCutAnywhere) {
  Json lp = Delta("b");
  lp["choices"][0]["logprobs"] = {{"content", {{{"token", "b"}, {"logprob", -0.5}}}}};
  std::string body = ": a comment\n\n" + Event(Delta("why", "reasoning_content")) +
                     Event(Delta("a")) + Event(lp) + Event(lp) + Event(End()) +
                     Event({{"choices", Json::array()},
                            {"usage", {{"prompt_tokens", 7}, {"completion_tokens", 3}}}}) +
                     "data: [DONE]\r\n\r\n";
  for (size_t piece : {1, 2, 7, 1000}) {
    std::string problem;
    auto a = Read(body, true, problem, piece);
    ASSERT_EQ(a.size(), 1u) << problem;
    EXPECT_EQ(a[0].text, "abb");
    EXPECT_EQ(a[0].reasoning, "why");
    EXPECT_EQ(a[0].finish, "stop");
    EXPECT_EQ(a[0].prompt_tokens, 7);
    EXPECT_EQ(a[0].completion_tokens, 3);
    EXPECT_EQ(a[0].logprobs["content"].size(), 2u);
  }
}

TEST(Reply, TextInPartsAndLogprobsPieceByPiece) {
  const auto delta = [](const Json& content, const Json& logprobs) {
    return Event(
        {{"choices", {{{"index", 0}, {"delta", {{"content", content}}}, {"logprobs", logprobs}}}}});
  };
  const Json token{{"token", "b"}};
  std::string problem;
  const auto a = Read(delta(Json::array({{{"text", "a"}},
                                         {{"text", 1}},
                                         {{"other", "x"}},
                                         "y",
                                         3,
                                         {{"type", "text"}, {"text", "b"}}}),
                            {{"content", {token}}, {"kind", 1}}) +
                          delta("c", nullptr) +
                          delta(nullptr, {{"content", {token, token}}, {"refusal", nullptr}}) +
                          delta("d", {{"kind", {2}}}) + Event(End()) + "data: [DONE]\n\n",
                      true, problem);
  ASSERT_EQ(a.size(), 1u) << problem;
  EXPECT_EQ(a[0].text, "abcd");
  EXPECT_EQ(a[0].logprobs,
            Json({{"content", {token, token, token}}, {"kind", {2}}, {"refusal", nullptr}}));
}

TEST(Reply, BrokenOnesAreNoAnswers) {
  std::string problem;
  EXPECT_TRUE(Read(Event(Delta("half an ans")), true, problem).empty());
  EXPECT_EQ(problem, "the stream ended before the answer did");
  for (const std::string body : {"", "<html>", "{\"choices\": []}", "{\"choices\": {}}", "[]",
                                 "{\"error\": {\"message\": \"overloaded\"}}"}) {
    problem.clear();
    EXPECT_TRUE(Read(body, false, problem).empty()) << body;
    EXPECT_NE(problem, "") << body;
  }
  problem.clear();
  EXPECT_TRUE(
      Read("data: {\"choices\": [\n\n" + Event(End()) + "data: [DONE]\n\n", true, problem).empty());
}

TEST(Reply, WholeAnswersAndCompletions) {
  std::string problem;
  auto a = Read(
      R"({"choices": [{"message": {"content": [{"type": "text", "text": "x"}, {"text": "y"}]}}, {"index": 1, "message": {"content": "<think>t</think>z"}}]})",
      true, problem);
  ASSERT_EQ(a.size(), 2u) << problem;
  EXPECT_EQ(a[0].text, "xy");
  EXPECT_EQ(a[1].text, "z");
  EXPECT_EQ(a[1].reasoning, "t");
  a = Read(
      R"({"choices": [{"text": "t", "finish_reason": "length"}], "usage": {"prompt_tokens": 2}})",
      false, problem);
  ASSERT_EQ(a.size(), 1u) << problem;
  EXPECT_EQ(a[0].text + a[0].finish, "tlength");
  EXPECT_EQ(a[0].prompt_tokens, 2);
}

TEST(Reply, TooLongOnesAreCut) {
  std::string problem;
  auto a = Read(Event(Delta(std::string(5000, 'a'))) + Event(End()), true, problem);
  ASSERT_EQ(a.size(), 1u) << problem;
  EXPECT_EQ(a[0].finish, "too_long");
  EXPECT_EQ(a[0].text.size(), 1000u);
  a = Read("{\"choices\": [{\"message\": {\"content\": \"" + std::string(1 << 20, 'a'), false,
           problem, 4096);
  ASSERT_EQ(a.size(), 1u);
  EXPECT_EQ(a[0].finish, "too_long");
}

TEST(Model, ReasoningIsKeptApart) {
  for (auto [given, text, reasoning] : {std::tuple{"<think>a</think>b", "b", "a"},
                                        {"a</think>b", "b", "a"},
                                        {"x<think>a", "x", "a"},
                                        {"b", "b", ""},
                                        {"<think>a</think>b<think>c</think>d", "bd", "ac"}}) {
    std::string t = given, r;
    SplitReasoning(t, r);
    EXPECT_EQ(t, text);
    EXPECT_EQ(r, reasoning);
  }
}

TEST(Model, RetryAfter) {
  EXPECT_EQ(RetryAfterSeconds(" 3\r\n"), 3);
  EXPECT_EQ(RetryAfterSeconds("0.5"), 0.5);
  EXPECT_EQ(RetryAfterSeconds("Wed, 21 Oct 2015 07:28:00 GMT"), 0);
  EXPECT_GT(RetryAfterSeconds("Wed, 21 Oct 2099 07:28:00 GMT"), 1e8);
  EXPECT_EQ(RetryAfterSeconds("soon"), -1);
}

std::string CodeOf(const base::Result<std::unique_ptr<Model>>& r) {
  return r.ok() ? "" : r.error().code;
}

TEST(Model, SettingsThatMakeNoSense) {
  ModelSettings s;
  for (const char* url :
       {"", "ftp://x/v1", "http://user:secret@host/v1", "http://host/v1?key=secret"}) {
    s.url = url;
    EXPECT_EQ(CodeOf(MakeModel(s)), "AK0708") << url;
  }
}

TEST(Model, SettingsThatDo) {
  ModelSettings s;
  s.url = "http://127.0.0.1:8000/v1/";
  s.logprobs = true;
  EXPECT_EQ(CodeOf(MakeModel(s)), "");
  Json body = Endpoint(s, nullptr).Body({{{"user", "hi"}}, 3, 9, {}});
  EXPECT_EQ(body["n"], 3);
  EXPECT_EQ(body["seed"], 9);
  EXPECT_EQ(body["logprobs"], true);
  EXPECT_EQ(body["messages"][0]["content"], "hi");
  EXPECT_FALSE(body.contains("grammar") || body.contains("structured_outputs"));
  s.grammar = "root ::= \"x\"";
  body = Endpoint(s, nullptr).Body({{{"user", "hi"}}, 1, 9, {}});
  EXPECT_EQ(body["grammar"], s.grammar);
  EXPECT_EQ(body["structured_outputs"]["grammar"], s.grammar);
  s.api = "completions";
  body = Endpoint(s, nullptr).Body({{{"system", "be brief"}, {"user", "hi"}}, 1, 9, {}});
  EXPECT_NE(body["prompt"].get<std::string>().find("be brief"), std::string::npos);
  EXPECT_EQ(body["logprobs"], 1);
}

TEST(Model, NobodyAnswersAndStopped) {
  ModelSettings s;
  s.url = "http://127.0.0.1:1/v1";  // nothing listens there
  s.retries = 1;
  s.backoff_s = 0.01;
  s.cache = false;
  auto none = Endpoint(s, nullptr).Ask({{{"user", "hi"}}, 1, 1, {}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, "AK0701");
  std::atomic<bool> stop{true};
  auto stopped = Endpoint(s, &stop).Ask({{{"user", "hi"}}, 1, 1, {}});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, "AK0709");
}

TEST(Model, BudgetIsSpent) {
  ModelSettings s;
  s.most_cost = 1, s.price_in = 100, s.price_out = 1000;
  Budget b(s);
  b.Spend(1000, 800);
  EXPECT_TRUE(b.Check().ok());
  b.Spend(0, 200);
  ASSERT_FALSE(b.Check().ok());
  EXPECT_EQ(b.Check().error().code, "AK0704");
}

TEST(Model, BudgetIsNotSpent) {
  ModelSettings s;
  s.most_tokens = 100;
  Budget b(s);
  b.Spend(50, 49);
  EXPECT_TRUE(b.Check().ok());
}

TEST(Model, RequestsAreSpaced) {
  RateLimit r(60);
  EXPECT_EQ(r.Next(), 0);
  EXPECT_NEAR(r.Next(), 1, 0.2);
  EXPECT_NEAR(r.Next(), 2, 0.2);
  EXPECT_EQ(RateLimit(0).Next(), 0);
}

// Answers of a list, one after the other; keeps what it was asked.
class Listed : public Model {
 public:
  explicit Listed(std::vector<std::string> answers) : answers_(std::move(answers)) {}
  Result<std::vector<Answer>> Ask(const Request& r) override {
    asked.push_back(r);
    if (asked.size() > answers_.size()) return base::Error{"AK0705", "no answer left", "", ""};
    Answer a;
    a.text = answers_[asked.size() - 1], a.finish = "stop", a.prompt_tokens = 10,
    a.completion_tokens = 5;
    return std::vector<Answer>{a};
  }
  std::vector<Request> asked;

 private:
  std::vector<std::string> answers_;
};

// A line with `!` is refused, the first of them.
Made WithoutMarks(const Answer& a) {
  Made m;
  const size_t at = a.text.find('!');
  if (at == std::string::npos) return m.files["f"] = a.text, m;
  m.outcome = "refused",
  m.line = 1 + static_cast<size_t>(
                   std::count(a.text.begin(), a.text.begin() + static_cast<long>(at), '\n'));
  return m;
}

TEST(Resample, ContinuesFromTheRefusedLine) {
  Listed model({"a\nb\n!\nd\n", "a\nb\nc\n!\n", "a\nb\nc\nd\n"});
  auto d = Resample(model, {{}, 1, 7, {}}, WithoutMarks, 5);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->attempts, 2);
  EXPECT_EQ(d->answer.text, "a\nb\nc\nd\n");
  EXPECT_EQ(d->made.files.size(), 1u);
  EXPECT_EQ(d->answer.prompt_tokens, 30);
  EXPECT_EQ(d->answer.completion_tokens, 15);
  ASSERT_EQ(model.asked.size(), 3u);
  EXPECT_EQ(model.asked[0].prefix_bytes, 0u);
  EXPECT_EQ(model.asked[1].prefix, "a\nb\n!\nd\n");
  EXPECT_EQ(model.asked[1].prefix_bytes, 4u);
  EXPECT_EQ(model.asked[2].prefix_bytes, 6u);
  EXPECT_EQ(
      std::set<uint64_t>({model.asked[0].seed, model.asked[1].seed, model.asked[2].seed}).size(),
      3u);
}

// Refused is the first line with a '!'; the name behind it is what it misses.
Made WithoutMarksOrNames(const Answer& a) {
  Made made = WithoutMarks(a);
  const size_t mark = a.text.find('!');
  if (mark != std::string::npos)
    made.missing = a.text.substr(mark + 1, a.text.find_first_of(" ):\n", mark) - mark - 1);
  return made;
}

TEST(Resample, AssignsAMissingNameFirst) {
  const std::string refused = "def f():\n    with compute:\n        a = !v1\n        d\n";
  Listed model({refused, refused, "def f():\n    with compute:\n        v1 = 0\n        a = v1\n"});
  auto d = Resample(model, {{}, 1, 7, {}}, WithoutMarksOrNames, 5);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->attempts, 2);
  EXPECT_EQ(model.asked[1].prefix, "def f():\n    with compute:\n        v1 = 0");
  EXPECT_EQ(model.asked[1].prefix_bytes, model.asked[1].prefix.size() - 2);
  EXPECT_EQ(model.asked[1].temperature_scale, 1);
  EXPECT_EQ(model.asked[2].prefix,
            refused);  // the same line and name once more: from the line, as ever
  EXPECT_EQ(model.asked[2].prefix_bytes, refused.find("        a = "));
}

TEST(Resample, AssignsInFrontOfCopyStages) {
  const std::string before = "def f():\n    for i in x:\n",
                    refused = before + "        with copyin:\n            load(a, !p)\n";
  Listed model({refused, before + "        p = i\n"});
  ASSERT_TRUE(Resample(model, {{}, 1, 7, {}}, WithoutMarksOrNames, 5).ok());
  EXPECT_EQ(model.asked[1].prefix, before + "        p = 0");
  for (const std::string& head :
       {"def f(a: !p):\n", "def f():\n    elif !p:\n"}) {  // nothing can stand there
    Listed whole({head, "def f():\n"});
    ASSERT_TRUE(Resample(whole, {{}, 1, 7, {}}, WithoutMarksOrNames, 5).ok());
    EXPECT_EQ(whole.asked[1].prefix, head);
  }
}

TEST(Resample, BacktracksFurtherAndThenGivesUp) {
  const std::string bad = "a\nb\nc\nd\ne\nf\n!\n";
  Listed model(std::vector<std::string>(9, bad));
  auto d = Resample(model, {{}, 1, 7, {}}, WithoutMarks, 6);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->attempts, 6);
  EXPECT_EQ(d->made.outcome, "refused");
  std::vector<size_t> kept;
  for (const Request& r : model.asked) kept.push_back(r.prefix_bytes);
  EXPECT_EQ(kept, (std::vector<size_t>{0, 12, 10, 8, 4, 0, 0}));
  EXPECT_EQ(model.asked[1].temperature_scale, 1);
  for (size_t i = 2; i < model.asked.size(); ++i)
    EXPECT_GT(model.asked[i].temperature_scale, 1) << i;
  Listed once({bad, bad});
  ASSERT_TRUE(Resample(once, {{}, 1, 7, {}}, WithoutMarks, 0).ok());
  EXPECT_EQ(once.asked.size(), 1u);
  Listed fewer({bad});
  EXPECT_EQ(Resample(fewer, {{}, 1, 7, {}}, WithoutMarks, 3).error().code, "AK0705");
}

TEST(Script, TheFirstLineThatMeetsAnswers) {
  auto dir = base::TempDir::Create();
  std::ofstream(dir->path() / "b.txt") << "from a file";
  std::ofstream(dir->path() / "s.jsonl")
      << R"({"when": {"task": "Sqrt", "turn": 1}, "text": "<think>x</think>second"})"
         "\n\n"
         R"({"when": {"task": "Sqrt"}, "file": "b.txt"})"
         "\n";
  auto m = ScriptModel::Load(dir->path() / "s.jsonl", dir->path() / "t.jsonl");
  ASSERT_TRUE(m.ok()) << m.error().ToString();
  EXPECT_EQ((*m)->Ask({{}, 1, 0, {{"task", "Sqrt"}, {"turn", 0}}})->at(0).text, "from a file");
  EXPECT_EQ((*m)->Ask({{}, 2, 0, {{"task", "Sqrt"}, {"turn", 1}}})->size(), 2u);
  EXPECT_EQ((*m)->Ask({{}, 1, 0, {{"task", "Sqrt"}, {"turn", 1}}})->at(0).reasoning, "x");
  EXPECT_NE(base::ReadFile(dir->path() / "t.jsonl")->find("second"), std::string::npos);
}

TEST(Script, SeveralAnswersAreSamplesOfTheirOwn) {
  auto dir = base::TempDir::Create();
  std::ofstream(dir->path() / "s.jsonl") << R"({"when": {"sample": 0}, "text": "zero"})"
                                            "\n"
                                            R"({"when": {"sample": 1}, "text": "one"})"
                                            "\n"
                                            R"({"when": {"sample": 2}, "text": "two"})"
                                            "\n";
  auto m = ScriptModel::Load(dir->path() / "s.jsonl", "");
  ASSERT_TRUE(m.ok());
  const auto said = [&](int n) {
    const auto answers = (*m)->Ask({{}, n, 0, {{"sample", 2}}});
    EXPECT_TRUE(answers.ok());
    std::string out;
    for (const Answer& a : *answers) out += a.text + " ";
    return out;
  };
  EXPECT_EQ(said(0), "two ");
  EXPECT_EQ(said(1), "two ");
  EXPECT_EQ(said(2), "zero one ");
  EXPECT_EQ(said(3), "zero one two ");
  EXPECT_EQ((*m)->Ask({{}, 4, 0, {}}).error().code, "AK0705");
}

TEST(Script, WhatIsNoScript) {
  auto dir = base::TempDir::Create();
  EXPECT_EQ(CodeOf(ScriptModel::Load(dir->path() / "none", "")), "AK0705");
  for (const char* text :
       {"{}", "no json", R"({"when": 3, "text": "x"})", R"({"file": "none.txt"})"}) {
    std::ofstream(dir->path() / "s") << text << "\n";
    EXPECT_EQ(CodeOf(ScriptModel::Load(dir->path() / "s", "")), "AK0705") << text;
  }
  std::ofstream(dir->path() / "s") << R"({"when": {"task": "Sqrt"}, "text": "x"})" << "\n";
  auto m = ScriptModel::Load(dir->path() / "s", "");
  EXPECT_EQ((*m)->Ask({{}, 1, 0, {{"task", "Abs"}}}).error().code, "AK0705");
}

TEST(Journal, GoesOnWhereItEnded) {
  auto dir = base::TempDir::Create();
  auto path = dir->path() / "j";
  {
    auto j = Journal::Open(path, {{"seed", 1}});
    ASSERT_TRUE(j.ok()) << j.error().ToString();
    ASSERT_TRUE((*j)->Add({{"kind", "turn"},
                           {"task", "T"},
                           {"sample", 0},
                           {"turn", 0},
                           {"verdict", "finding"},
                           {"prompt_tokens", 5}})
                    .ok());
    ASSERT_TRUE(
        (*j)->Add({{"kind", "sample"}, {"task", "T"}, {"sample", 1}, {"verdict", "pass"}}).ok());
  }
  std::ofstream(path, std::ios::app) << "{\"kind\": \"turn\", \"task\": \"T\", \"sam";
  auto j = Journal::Open(path, {{"seed", 1}});
  ASSERT_TRUE(j.ok()) << j.error().ToString();
  EXPECT_EQ((*j)->State("T", 0).turns.size(), 1u);
  EXPECT_FALSE((*j)->State("T", 0).ended);
  EXPECT_EQ((*j)->State("T", 1).ended->verdict, "pass");
  EXPECT_TRUE((*j)->Passed("T"));
  EXPECT_EQ((*j)->Totals().prompt_tokens, 5);
  ASSERT_TRUE((*j)->Add({{"kind", "turn"}, {"task", "T"}, {"sample", 0}, {"turn", 1}}).ok());
  int lines = 0;
  ASSERT_TRUE(ReadJournal(path, [&](const record::JournalLine&) { ++lines; }).ok());
  EXPECT_EQ(lines, 4);
}

TEST(Journal, AnotherRunsAndDamagedOnes) {
  auto dir = base::TempDir::Create();
  auto path = dir->path() / "j";
  {
    auto held = Journal::Open(path, {{"seed", 1}});
    EXPECT_EQ(Journal::Open(path, {{"seed", 1}}).error().code, "AK0707");  // another one writes it
  }
  auto other = Journal::Open(path, {{"seed", 2}});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, "AK0706");
  EXPECT_NE(other.error().message.find("seed"), std::string::npos);
  std::ofstream(path, std::ios::app) << "rubbish\n";
  EXPECT_EQ(Journal::Open(path, {{"seed", 1}}).error().code, "AK0707");
  EXPECT_EQ(Journal::Open(dir->path() / "no" / "j", {}).error().code, "AK0707");
}

TEST(Journal, ALaterVersionsIsLeftAlone) {
  auto dir = base::TempDir::Create();
  auto path = dir->path() / "j";
  const std::string line = R"({"kind":"run","schema":2,"version":"9.0.0","config":{"seed":1}})"
                           "\n";
  std::ofstream(path) << line;
  auto later = Journal::Open(path, {{"seed", 1}});
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().code, "AK0710");
  EXPECT_EQ(*base::ReadFile(path), line);
}

// A card names no function that kernels cannot call, and says no word that no task has.
TEST(Prompt, CardsNameWhatThereIs) {
  std::string headers, words;
  for (const auto& e :
       std::filesystem::recursive_directory_iterator(base::HomeDir() / "include/ascendc/kernel"))
    if (e.is_regular_file()) headers += *base::ReadFile(e.path());
  headers += *base::ReadFile(base::HomeDir() / "include/ascendc/akgen/vec_ops.inc");
  auto cards = LoadCards();
  ASSERT_TRUE(cards.ok()) << cards.error().ToString();
  EXPECT_GE(cards->size(), 10u);
  const base::Regex name(R"(`([A-Z]\w+)[(<`])");
  int names = 0;
  for (const ApiCard& c : *cards)
    for (const base::Match& m : name.All(c.text)) {
      ++names;
      EXPECT_TRUE(base::Regex(("\\b" + m[1].text + "\\b").c_str()).Find(headers)) << m[1].text;
    }
  EXPECT_GE(names, 20);
}

TEST(Prompt, CardsFollowTheTask) {
  std::string sqrt = *ApiText(*task::LoadTask("Sqrt")), norm = *ApiText(*task::LoadTask("RmsNorm"));
  EXPECT_EQ(sqrt.find("`ReduceSum("), std::string::npos);
  EXPECT_NE(norm.find("`ReduceSum("), std::string::npos);
  EXPECT_NE(sqrt.find("- half, float: "), std::string::npos);
  EXPECT_NE(sqrt.find("Adds"), std::string::npos);
  EXPECT_NE(sqrt.find("Tanh"), std::string::npos);
}

TEST(Prompt, EveryTaskHasOneAndNeverItsOwnAnswer) {
  auto chip = chip::LoadChip();
  ASSERT_TRUE(chip.ok());
  for (const auto& info : task::ListTasks()) {
    auto t = task::LoadTaskFolder(info.folder);
    ASSERT_TRUE(t.ok());
    for (bool kernel_only : {false, true}) {
      auto p = DirectPrompt(*t, t->cases, *chip, kernel_only);
      ASSERT_TRUE(p.ok()) << info.name << p.error().ToString();
      const std::string& text = p->back().content;
      EXPECT_NE(text.find("__aicore__ void " + t->entry + "("), std::string::npos) << info.name;
      size_t example = text.find("# An example of another operator");
      ASSERT_NE(example, std::string::npos);
      EXPECT_EQ(text.find("void " + t->entry + "(", example), std::string::npos) << info.name;
    }
    auto p = CraftPrompt(*t, t->cases, *chip);
    ASSERT_TRUE(p.ok()) << info.name;
    const std::string& text = p->back().content;
    EXPECT_EQ(text.find("def " + t->entry + "(", text.find("# An example of another operator")),
              std::string::npos)
        << info.name;
  }
}

// The line that begins the example in a prompt of the kernel language, up to the function's name.
std::string ExampleFor(const std::string& name, const std::string& category) {
  auto t = *task::LoadTask("Sqrt");
  t.name = name, t.category = category;
  auto p = CraftPrompt(t, t.cases, *chip::LoadChip());
  std::string text = p->back().content;
  text.erase(0, text.find("# An example of another operator"));
  size_t at = text.find("@host\ndef ") + 10;
  return text.substr(at, text.find('(', at) - at);
}

TEST(Prompt, TheExampleIsOfTheCategoryWhateverItIsCalled) {
  for (const char* norm : {"Norm", "Normalization", "normalization", "normalisation"})
    EXPECT_EQ(ExampleFor("LayerNorm", norm), "rms_norm") << norm;
  for (const char* optim : {"Optim", "Optimizer", "optimiser"})
    EXPECT_EQ(ExampleFor("Sgd", optim), "adam") << optim;
  for (const char* pool : {"Pooling", "pooling", "Pool"})
    EXPECT_EQ(ExampleFor("AveragePooling2d", pool), "max_pool");
  EXPECT_EQ(ExampleFor("Cumsum", "Reduction"), "sum_rows");
  // And never the task's own answer.
  EXPECT_NE(ExampleFor("RmsNorm", "Normalization"), "rms_norm");
  EXPECT_NE(ExampleFor("Adam", "Optimizer"), "adam");
  EXPECT_NE(ExampleFor("MaxPooling2d", "Pooling"), "max_pool");
}

TEST(Prompt, AnotherBenchmarksCategoryBringsTheSameCardsAndKernel) {
  auto t = *task::LoadTask("Sqrt");
  auto chip = chip::LoadChip();
  t.name = "LayerNorm", t.category = "Norm";
  std::string cards = *ApiText(t), prompt = DirectPrompt(t, t.cases, *chip, false)->back().content;
  EXPECT_NE(prompt.find("rms_norm("), std::string::npos);
  t.category = "Normalization";
  EXPECT_EQ(*ApiText(t), cards);
  EXPECT_EQ(DirectPrompt(t, t.cases, *chip, false)->back().content, prompt);
}
}  // namespace
}  // namespace akgen::generate
