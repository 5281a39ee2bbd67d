// What a model reads, to the letter: prompts of three tasks, and what is said of each kind of
// failure (golden/*.txt).
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "../golden.h"
#include "base/files.h"
#include "base/hash.h"
#include "chip/chip.h"
#include "generate/conversation.h"
#include "generate/examples.h"
#include "generate/generator.h"
#include "generate/judge_pool.h"
#include "generate/prompt.h"

namespace akgen::generate {
namespace {
namespace fs = std::filesystem;
using enum record::Verdict;

std::string Text(const std::vector<Message>& messages) {
  std::string out;
  for (const Message& m : messages) out += "---- " + m.role + "\n" + m.content + "\n";
  return out;
}

TEST(PromptGolden, OfThreeTasks) {
  const auto chip = chip::LoadChip();
  ASSERT_TRUE(chip.ok());
  for (const char* name : {"Gelu", "SwiGlu", "Tril"}) {
    const auto t = task::LoadTask(name);
    ASSERT_TRUE(t.ok()) << name;
    std::string text;
    for (bool kernel_only : {false, true}) {
      const auto p = DirectPrompt(*t, t->cases, *chip, kernel_only);
      ASSERT_TRUE(p.ok());
      text += "==== direct\n" + Text(*p);
    }
    const auto craft = CraftPrompt(*t, t->cases, *chip);
    ASSERT_TRUE(craft.ok());
    text += "==== craft\n" + Text(*craft) + "==== repair\n" +
            Text(RepairPrompt({craft->back()}, "the answer", "the feedback")) + "==== improve\n" +
            Text(ImprovePrompt({craft->back()}, "the answer", "the advice"));
    const auto conversation = ConversationPrompt(*t, t->cases);
    ASSERT_TRUE(conversation.ok()) << conversation.error().ToString();
    text += "==== conversation\n" + Text({conversation->begin() + 3, conversation->end()});
    ExpectGolden(AKGEN_GOLDEN_FOLDER, std::string("prompt_") + name + ".txt", text);
  }
}

// What is the same comes first; half as many words as docs/craft/language.md; each question has
// its host function under the task's names, and every task can be asked.
TEST(Conversation, OfEveryTask) {
  auto words = [](const std::string& text) {
    std::istringstream in(text);
    return std::distance(std::istream_iterator<std::string>(in), {});
  };
  std::map<std::string, std::string> beginnings;  // by category
  std::string system;
  size_t tasks = 0;
  for (const auto& entry : fs::recursive_directory_iterator(base::HomeDir() / "tasks")) {
    if (entry.path().filename() != "task.toml") continue;
    const auto t = task::LoadTaskFolder(entry.path().parent_path());
    ASSERT_TRUE(t.ok());
    auto p = ConversationPrompt(*t, t->cases);
    ASSERT_TRUE(p.ok()) << p.error().ToString();
    ASSERT_EQ(p->size(), 6u);
    EXPECT_NE(p->back().content.find("\ndef " + t->entry + "("), std::string::npos) << t->name;
    for (const auto& a : t->attrs)
      EXPECT_NE(p->back().content.find(a.name + ": "), std::string::npos) << t->name;
    EXPECT_NE(p->back().content.find("\n    return "), std::string::npos) << t->name;
    if (system.empty()) system = p->front().content;
    EXPECT_EQ(p->front().content, system);
    p->pop_back();
    const std::string text = Text(*p);
    EXPECT_EQ(beginnings.try_emplace(CategoryOf(*t), text).first->second, text) << t->name;
    ++tasks;
  }
  EXPECT_GT(tasks, 100u);
  const auto whole = base::ReadFile(base::HomeDir() / "docs/craft/language.md");
  EXPECT_LE(2 * words(system), words(*whole));
}

// All that is asked of any task, by its digest: whole prompts of three stand in prompts.txt.
TEST(PromptGolden, OfEveryTask) {
  const auto chip = *chip::LoadChip();
  std::string said;
  for (const task::TaskInfo& info : task::ListTasks()) {
    const auto t = task::LoadTaskFolder(info.folder);
    ASSERT_TRUE(t.ok());
    said += t->name;
    for (const auto& p :
         {ConversationPrompt(*t, t->cases), FirstPrompt(Way::kCraft, *t, t->cases, chip, false),
          FirstPrompt(Way::kDirect, *t, t->cases, chip, false),
          FirstPrompt(Way::kDirect, *t, {t->cases.back()}, chip, true)}) {
      ASSERT_TRUE(p.ok()) << p.error().ToString();
      said += " " + base::Sha256(Text(*p)).substr(0, 12);
    }
    said += "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "prompts_of_tasks.txt", said);
}

judge::CaseResult Case(const std::string& id, record::Verdict verdict) {
  judge::CaseResult c;
  c.id = id, c.verdict = verdict;
  if (verdict != kPass) c.reason = "why " + id;
  return c;
}

record::Finding Race(int n) {
  record::Finding f;
  f.code = "AK120" + std::to_string(n), f.message = "m", f.fix = n % 2 ? "wait" : "",
  f.count = uint64_t(n);
  if (n != 3) f.place = {"k.cpp", n, "PIPE_V", n == 2 ? "" : "Add", 0};
  if (n < 4) f.other = record::Place{n == 1 ? "" : "k.cpp", 9, "", "DataCopy", 0};
  return f;
}

record::OutputResult Output(const char* name, int64_t mismatches) {
  record::OutputResult o;
  o.name = name, o.elements = 10, o.mismatches = mismatches;
  for (int64_t i = 0; i < mismatches; ++i)
    o.first.push_back({i, double(i), i == 1 ? INFINITY : 0.5});
  return o;
}

TEST(PromptGolden, WhatIsSaidOfFailures) {
  const auto t = task::LoadTask("Gelu");
  ASSERT_TRUE(t.ok());
  std::string text;
  const auto say = [&](const char* what, const Trialed& tried) {
    text += std::string("==== ") + what + "\n" + Feedback(tried, t->cases);
  };
  Trialed pass;
  pass.shown.verdict = kPass, pass.shown.cases = {Case("0", kPass)};
  say("pass", pass);
  Trialed finding = pass;
  finding.shown.verdict = kFinding, finding.shown.reason = "AK1201";
  finding.shown.cases = {Case("0", kPass), Case("1", kFinding), Case("2", kFinding)};
  for (int n = 1; n <= 6; ++n) finding.shown.cases[1].findings.push_back(Race(n));
  say("finding", finding);
  Trialed wrong = pass;
  wrong.shown.verdict = kWrongAnswer, wrong.shown.reason = "numbers";
  wrong.shown.cases = {Case("0", kPass), Case("1", kWrongAnswer), Case("2", kPass)};
  wrong.shown.cases[0].skipped = true;
  wrong.shown.cases[1].outputs = {Output("y", 3)};
  say("wrong, not judged again", wrong);
  wrong.again = wrong.shown;
  wrong.again->cases = {wrong.shown.cases[1]};
  wrong.again->cases[0].outputs = {Output("x", 0), Output("y", 1), Output("z", 6)};
  say("wrong", wrong);
  Trialed built = pass;
  built.shown.verdict = kBuildError, built.shown.reason = "it does not compile",
  built.shown.cases.clear();
  for (int n = 0; n < 11; ++n)
    built.shown.diagnostics.push_back(
        {n == 1 ? "warning" : "error", "k.cpp", n, 1, "d" + std::to_string(n), {}});
  say("build error", built);
  built.shown.verdict = kRejected;
  say("rejected", built);
  built.shown.verdict = kRuntimeError;
  say("runtime error", built);
  Trialed hidden = pass;
  hidden.hidden = finding.shown;
  say("hidden", hidden);
  built.shown.reason = std::string(7000, 'x');
  say("long", built);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "feedback.txt", text);
}

TEST(PromptGolden, WhatIsSaidOfTime) {
  const auto chip = chip::LoadChip();
  judge::Judgement j;
  j.cases = {Case("0", kPass), Case("1", kPass), Case("2", kPass)};
  EXPECT_EQ(Advice(j, *chip), "");
  j.cases[0].modelled = {
      {"us", 3.0},
      {"core_us", 2.0},
      {"longest_core_us", 2.5},
      {"cores", 1},
      {"blocks", 1},
      {"regime", "bandwidth"},
      {"bottleneck", "MTE2"},
      {"pipes",
       {{"MTE2", {{"busy_us", 1.5}, {"instructions", 3}, {"bytes", 640.0}, {"bursts", 3.0}}}}}};
  j.cases[1].modelled = j.cases[0].modelled, j.cases[2].modelled = j.cases[0].modelled;
  j.cases[1].modelled["us"] = 5.0;
  j.cases[1].modelled["sites"] = {{{"file", "k.cpp"}, {"line", 3}}, nullptr};
  j.cases[1].modelled["what_if"] = {
      {{"change", "double_buffer"}, {"amount", 0}, {"us", 4.0}, {"site", 0}},
      {{"change", "more_cores"}, {"amount", 8}, {"us", 4.5}, {"site", 1}}};
  j.cases[2].modelled["us"] = 9.0, j.cases[2].skipped = true;
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "advice.txt", Advice(j, *chip));
}
}  // namespace
}  // namespace akgen::generate
