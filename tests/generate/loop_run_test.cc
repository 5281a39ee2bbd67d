// The loop with answers of a list: what is asked next, what is kept, what the summary says.
#include <gtest/gtest.h>

#include "base/files.h"
#include "generate/loop.h"

namespace akgen::generate {
namespace {
namespace fs = std::filesystem;
using base::Json;

class FromList : public Model {
 public:
  explicit FromList(std::vector<std::string> answers) : answers_(std::move(answers)) {}
  base::Result<std::vector<Answer>> Ask(const Request& r) override {
    asked.push_back(r);
    if (asked.size() > answers_.size()) return base::Error{"AK0705", "no answer left", "", ""};
    Answer a;
    a.text = answers_[asked.size() - 1], a.finish = "stop", a.reasoning = "why";
    a.prompt_tokens = 10, a.completion_tokens = 5, a.attempts = 2;
    return std::vector<Answer>{a};
  }
  std::vector<Request> asked;

 private:
  std::vector<std::string> answers_;
};

class LoopTest : public ::testing::Test {
 protected:
  LoopTest() : dir_(std::move(base::TempDir::Create().value())) {
    o_.chip = *chip::LoadChip();
    o_.out = dir_.path() / "out";
    o_.hidden = 0, o_.concurrency = 1, o_.seed = 40;
    o_.judging.seed = 1;
    work_.push_back({*task::LoadTask("Sqrt"), {}});
    work_[0].cases = {work_[0].task.cases.front()};
  }
  LoopSummary Run(Model& model) {
    auto journal = Journal::Open(dir_.path() / "journal.jsonl", {{"seed", 1}});
    EXPECT_TRUE(journal.ok());
    auto s = RunLoop(work_, o_, &model, **journal);
    EXPECT_TRUE(s.ok()) << s.error().ToString();
    turns_ = {};
    EXPECT_TRUE(ReadJournal(dir_.path() / "journal.jsonl", [&](const record::JournalLine& line) {
                  if (const auto* t = std::get_if<record::Turn>(&line)) turns_.push_back(*t);
                }).ok());
    return std::move(*s);
  }
  base::TempDir dir_;
  LoopOptions o_;
  std::vector<Work> work_;
  std::vector<record::Turn> turns_;
};

TEST_F(LoopTest, AnswersWithoutCodeAreRepairedSoOften) {
  o_.repair = 1, o_.samples = 2;
  FromList model({"no code", std::string(60001, 'x'), "none", "again"});
  const LoopSummary s = Run(model);
  EXPECT_EQ(s.samples, 2u);
  EXPECT_EQ(s.left + s.before + s.skipped + s.samples_passed + s.tasks_passed, 0u);
  EXPECT_EQ(s.verdicts, (std::map<std::string, size_t>{{"no_code", 2}}));
  EXPECT_FALSE(s.all_passed());
  ASSERT_EQ(model.asked.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const Request& r = model.asked[i];
    EXPECT_EQ(r.seed, 40 + i / 2);
    EXPECT_EQ(r.n, 1);
    EXPECT_EQ(r.first_answer, i % 2 == 0 ? int(i / 2) : -1);
    EXPECT_EQ(
        r.tags,
        Json({{"task", "Sqrt"}, {"sample", i / 2}, {"turn", i % 2}, {"generator", "direct"}}));
  }
  EXPECT_EQ(model.asked[1].messages.size(), model.asked[0].messages.size() + 2);
  EXPECT_EQ(model.asked[1].messages.rbegin()[1].content, "no code");
  ASSERT_EQ(turns_.size(), 4u);
  EXPECT_TRUE(turns_[0].sealed);
  EXPECT_EQ(turns_[0].verdict, "no_code");
  EXPECT_EQ(turns_[0].reason, "the answer holds no code block");
  const record::TurnRequest& r = *turns_[3].request;
  EXPECT_EQ(r.seed, 41u);
  EXPECT_EQ(r.reasoning + r.finish, "whystop");
  EXPECT_EQ(r.prompt_tokens, 10);
  EXPECT_EQ(r.completion_tokens, 5);
  EXPECT_EQ(r.attempts, 2);
  EXPECT_FALSE(r.cached || r.resampled);
  EXPECT_FALSE(fs::exists(o_.out / "Sqrt")) << "there is nothing to keep";

  FromList none({});
  const LoopSummary again = Run(none);
  EXPECT_EQ(again.before, 2u);
  EXPECT_TRUE(none.asked.empty());
  const Json said = ToJson(again);
  EXPECT_EQ(said["best"]["Sqrt"], Json::parse(R"({"sample": 0, "turn": 0, "verdict": "no_code",
                            "reason": "the answer holds no code block", "modelled_us": 0.0})"));
  EXPECT_EQ(said["tasks"], 1);
  EXPECT_EQ(said["sealed"], s.sealed);
}

TEST_F(LoopTest, WhatIsEchoedIsClipped) {
  o_.repair = 1;
  FromList model({std::string(60001, 'x'), "none"});
  Run(model);
  ASSERT_EQ(model.asked.size(), 2u);
  EXPECT_EQ(model.asked[1].messages.rbegin()[1].content, std::string(60000, 'x'));
}

TEST_F(LoopTest, AModelThatFailsCostsItsSamples) {
  o_.samples = 12;
  FromList model({"no code"});
  const LoopSummary s = Run(model);
  EXPECT_EQ(s.left, 11u);
  EXPECT_EQ(s.totals.trouble, 11u);
  ASSERT_EQ(s.troubles.size(), 1u) << "each reason once";
  EXPECT_EQ(s.troubles[0].message, "no answer left");
}

TEST_F(LoopTest, EveryStepIsShown) {
  o_.samples = 2, o_.jobs = 0, o_.concurrency = 0;  // one at least
  std::vector<std::string> shown;
  o_.progress = [&](const LoopOptions::Progress& p) {
    shown.push_back(std::to_string(p.done) + " of " + std::to_string(p.all) + ", " +
                    std::to_string(p.before) + " before: " + p.what);
  };
  FromList model({"no code", "none"});
  Run(model);
  EXPECT_EQ(shown, (std::vector<std::string>{"0 of 2, 0 before: Sqrt sample 0 turn 0",
                                             "1 of 2, 0 before: Sqrt sample 0 no_code",
                                             "1 of 2, 0 before: Sqrt sample 1 turn 0",
                                             "2 of 2, 0 before: Sqrt sample 1 no_code"}));
  shown.clear();
  o_.samples = 3;
  FromList more({"no code"});
  Run(more);
  EXPECT_EQ(shown, (std::vector<std::string>{"2 of 3, 2 before: Sqrt sample 2 turn 0",
                                             "3 of 3, 2 before: Sqrt sample 2 no_code"}));
}

// The first pass of a task is enough; a plan waits for its judge, and has nothing of its own.
TEST_F(LoopTest, ATaskThatHasAPassNeedsNoOthers) {
  o_.way = Way::kPlan, o_.first_pass = true, o_.samples = 3, o_.jobs = 0;
  std::vector<std::string> shown;
  o_.progress = [&](const LoopOptions::Progress& p) {
    shown.push_back(std::to_string(p.done) + " " + p.what);
  };
  const auto journal = Journal::Open(dir_.path() / "j", {});
  ASSERT_TRUE(journal.ok());
  const auto s = RunLoop(work_, o_, nullptr, **journal);
  ASSERT_TRUE(s.ok()) << s.error().ToString();
  EXPECT_EQ(shown, (std::vector<std::string>{"0 Sqrt sample 0 turn 0", "1 Sqrt sample 0 pass",
                                             "2 Sqrt sample 1 is not needed",
                                             "3 Sqrt sample 2 is not needed"}));
  EXPECT_EQ(s->skipped, 2u);
  EXPECT_EQ(s->left, 0u);
  EXPECT_EQ(s->tasks_passed, 1u);
  EXPECT_LT(s->totals.own_ms, s->totals.judge_ms) << "planning is the judge's time";
}

class Failing : public Model {
 public:
  explicit Failing(std::string code) : code_(std::move(code)) {}
  base::Result<std::vector<Answer>> Ask(const Request&) override {
    return ++asked, base::Error{code_, "why", "", ""};
  }
  int asked = 0;

 private:
  std::string code_;
};

TEST_F(LoopTest, WhatStopsARunAndWhatDoesNot) {
  o_.samples = 3;
  const struct {
    const char* code;
    int asked;
    size_t trouble;
  } rows[] = {{"AK0701", 3, 3}, {"AK0704", 1, 1}, {"AK0709", 3, 0}};
  for (const auto& row : rows) {
    fs::remove(dir_.path() / "journal.jsonl");
    Failing model(row.code);
    const LoopSummary s = Run(model);
    EXPECT_EQ(model.asked, row.asked) << row.code;
    EXPECT_EQ(s.left, 3u);
    EXPECT_EQ(s.totals.trouble, row.trouble) << row.code;
    EXPECT_EQ(s.troubles.size(), row.trouble > 0) << row.code;
  }
}

TEST_F(LoopTest, AReferenceThatIsNoGraphCannotBeAskedFor) {
  o_.way = Way::kCraft, o_.form = PromptForm::kOperations, o_.samples = 2;
  const std::string x = work_[0].task.inputs[0].name;
  FromList model({"@host\ndef op(", "again"});
  Run(model);
  ASSERT_EQ(model.asked.size(), 2u);
  EXPECT_EQ(model.asked[0].messages.size(), 1u);
  EXPECT_EQ(model.asked[0].messages[0].content, model.asked[1].messages[0].content);
  EXPECT_NE(model.asked[0].messages[0].content.find("sqrt("), std::string::npos);
  ASSERT_EQ(turns_.size(), 2u);
  EXPECT_EQ(turns_[0].verdict, "refused") << turns_[0].reason;
  EXPECT_EQ(turns_[1].verdict + turns_[1].reason, "no_codethere is no @host function");
  EXPECT_EQ(turns_[1].feedback, "There is nothing to judge: there is no @host function.\n");
  fs::remove(dir_.path() / "journal.jsonl");
  work_[0].task.reference = "def reference(" + x + ": Tensor) -> Tensor:\n    if bool(" + x +
                            ".sum() > 0):\n        return " + x + "\n    return " + x + " + 1\n";
  FromList none({});
  const LoopSummary s = Run(none);
  EXPECT_TRUE(none.asked.empty());
  EXPECT_EQ(s.verdicts, (std::map<std::string, size_t>{{"no_code", 2}}));
  ASSERT_EQ(turns_.size(), 2u);
  EXPECT_TRUE(turns_[0].sealed);
  EXPECT_NE(turns_[0].reason, "");
}

TEST_F(LoopTest, WhatPassesIsMadeFaster) {
  Files right;
  const fs::path folder = base::HomeDir() / "examples/kernels/sqrt_via_float";
  for (const char* path : {"op_host/sqrt.cpp", "op_host/sqrt_tiling.h", "op_kernel/sqrt.cpp"})
    right[path] = *base::ReadFile(folder / path);
  o_.improve = 2, o_.judging.time.on = true;
  FromList model({AnswerText(right), "no code", "none"});
  const LoopSummary s = Run(model);
  ASSERT_EQ(turns_.size(), 3u);
  EXPECT_EQ(turns_[0].verdict, "pass") << turns_[0].reason;
  EXPECT_TRUE(turns_[0].advice.starts_with("Every case passes. The modelled time is "))
      << turns_[0].advice;
  EXPECT_EQ(turns_[0].feedback, "");
  EXPECT_EQ(turns_[1].advice, "");
  EXPECT_GT(turns_[0].modelled_us, 0);
  EXPECT_EQ(turns_[0].cases.size(), 1u);
  EXPECT_EQ(turns_[0].files, Json(right));
  ASSERT_EQ(model.asked.size(), 3u);
  EXPECT_EQ(model.asked[1].seed, 1040u) << "the same words may be asked twice";
  EXPECT_EQ(model.asked[2].seed, 2040u);
  EXPECT_NE(model.asked[1].messages.back().content.find(turns_[0].advice), std::string::npos);
  EXPECT_EQ(model.asked[2].messages.back().content, model.asked[1].messages.back().content)
      << "from the best";
  EXPECT_EQ(s.samples_passed, 1u);
  EXPECT_EQ(s.tasks_passed, 1u);
  EXPECT_TRUE(s.all_passed());
  EXPECT_EQ(s.best.at("Sqrt")->modelled_us, turns_[0].modelled_us);
  EXPECT_EQ(*base::ReadFile(o_.out / "Sqrt/sample0/op_kernel/sqrt.cpp"),
            right["op_kernel/sqrt.cpp"]);
}
}  // namespace
}  // namespace akgen::generate
