// What is asked of work before it waits for its turn, at each limit, and what its key depends on.
#include "serve/judging.h"

#include <gtest/gtest.h>

#include <set>

#include "serve/journal.h"
#include "serve/tools.h"

namespace akgen::serve {
namespace {
const TaskList& Tasks() {
  static const TaskList tasks(BenchmarkTasks());
  return tasks;
}
JudgeWork Sqrt() {
  JudgeWork work;
  work.task = "Sqrt", work.candidate.text = "x";
  return work;
}
std::string Checked(const Work& work) {
  const auto s = CheckWork(work, Tasks());
  return s.ok() ? "" : s.error().code + " " + s.error().where;
}

TEST(CheckWork, CandidatesAtTheirLimits) {
  const auto files = [](size_t many, size_t bytes) {
    JudgeWork work = Sqrt();
    work.candidate.text.clear();
    for (size_t i = 0; i < many; ++i) work.candidate.files["f" + std::to_string(i)] = "";
    if (many > 0) work.candidate.files["f0"] = std::string(bytes, 'x');
    return Checked(work);
  };
  constexpr size_t kMost = 4u << 20;
  EXPECT_EQ(files(0, 0), "AK0902 ") << "no candidate";
  EXPECT_EQ(files(1, 0), "");
  EXPECT_EQ(files(64, 0), "");
  EXPECT_EQ(files(65, 0), "AK0902 files");
  EXPECT_EQ(files(2, kMost), "");
  EXPECT_EQ(files(2, kMost + 1), "AK0902 ");
  JudgeWork work = Sqrt();
  work.candidate.text = std::string(kMost, 'x');
  EXPECT_EQ(Checked(work), "");
  work.candidate.text += "x";
  EXPECT_EQ(Checked(work), "AK0902 ");
  work = Sqrt();
  work.candidate.files["a"] = "x";
  EXPECT_EQ(Checked(work), "AK0902 text") << "files and a text";
  work.candidate.text.clear(), work.candidate.files["../a"] = "x";
  EXPECT_EQ(Checked(work), "AK0902 ../a");
  work.candidate.files = {{std::string(199, 'a'), ""}, {std::string(200, 'b'), ""}};
  EXPECT_EQ(Checked(work), "");
}

TEST(CheckWork, WhatIsAskedOfAJudgement) {
  const struct {
    void (*change)(JudgeWork&);
    std::string wrong;
  } rows[] = {
      {[](JudgeWork&) {}, ""},
      {[](JudgeWork& w) { w.task = "s_q_r_t"; }, ""},
      {[](JudgeWork& w) { w.task = "Sqrtt"; }, "AK0101 Sqrtt"},
      {[](JudgeWork& w) { w.cases = {"0", "1"}; }, ""},
      {[](JudgeWork& w) { w.cases = {"0", "none"}; }, "AK0103 Sqrt"},
      {[](JudgeWork& w) { w.hidden = 0; }, ""},
      {[](JudgeWork& w) { w.hidden = -1; }, "AK0902 hidden"},
      {[](JudgeWork& w) { w.hidden = 64; }, ""},
      {[](JudgeWork& w) { w.hidden = 65; }, "AK0902 hidden"},
      {[](JudgeWork& w) { w.precision = "upstream"; }, ""},
      {[](JudgeWork& w) { w.precision = "wide"; }, "AK0902 precision"},
      {[](JudgeWork& w) { w.inputs = "upstream"; }, ""},
      {[](JudgeWork& w) { w.inputs = "strict"; }, "AK0902 inputs"},
      {[](JudgeWork& w) { w.chip = "910B2"; }, ""},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    JudgeWork work = Sqrt();
    rows[i].change(work);
    EXPECT_EQ(Checked(work), rows[i].wrong) << i;
    // Faults are planted in the files of a project alone.
    ExamineWork examine{work, {}, 8, 1};
    EXPECT_EQ(Checked(examine), "AK0902 files") << i;
    examine.of.candidate.text.clear(), examine.of.candidate.files["op_kernel/a.cpp"] = "x";
    EXPECT_EQ(Checked(examine), rows[i].wrong) << i;
    examine.of.candidate.form = Form::kKernel;
    EXPECT_EQ(Checked(examine), "AK0902 files") << i;
  }
  JudgeWork work = Sqrt();
  work.chip = "none";
  EXPECT_NE(Checked(work), "");
}

TEST(CheckWork, KernelsAndWhatTheyAllocate) {
  // 256 MiB of elements of at most eight bytes each, all arguments together.
  constexpr uint64_t kMost = (256u << 20) / sizeof(uint64_t);
  const auto launch = [](const std::string& args) {
    KernelWork work;
    work.source = "x", work.launch = "args=" + args;
    return Checked(work);
  };
  const auto number = [](uint64_t n) { return std::to_string(n); };
  const std::pair<std::string, const char*> rows[] = {
      {"in:f32[" + number(kMost - 1) + "]", ""},
      {"in:f32[" + number(kMost) + "]", "AK0902 launch"},
      {"in:f32[" + number(kMost - 9) + "+8]", ""},
      {"in:f32[" + number(kMost - 8) + "+8]", "AK0902 launch"},
      {"in:f32[" + number(kMost - 9) + "],out:f32[8]", ""},
      {"in:f32[" + number(kMost - 8) + "],out:f32[8]", "AK0902 launch"},
      {"in:i8[268435457]", "AK0902 launch"},
      {"in:i8[8+268435457]", "AK0902 launch"},
      {"in:f32[18446744073709551615]", "AK0401 "},
  };
  for (const auto& [args, wrong] : rows) EXPECT_EQ(launch(args), wrong) << args;
  KernelWork work;
  work.source = "// launch: args=in:f32[8]\n";
  EXPECT_EQ(Checked(work), "");
  work.source = "// launch: args=in:f32[" + number(kMost) + "]\n";
  EXPECT_EQ(Checked(work), "AK0902 launch");
  work.launch = "args=in:f32[8]";
  EXPECT_EQ(Checked(work), "") << "the line that is given comes first";
  work.source = std::string(4u << 20, 'x');
  EXPECT_EQ(Checked(work), "");
  work.source += "x";
  EXPECT_EQ(Checked(work), "AK0902 source");
  work.source = "x", work.chip = "none";
  EXPECT_NE(Checked(work), "");
  work.chip = "910B2", work.launch = "what";
  EXPECT_EQ(Checked(work), "AK0401 ");
}

// Whatever the record depends on makes another key, and two that are the same make one.
TEST(KeyOfWork, FollowsEveryMember) {
  std::set<std::string> keys;
  const auto is_new = [&](const Work& work) {
    return keys.insert(KeyOfWork(work, 5, Tasks())).second;
  };
  using Change = void (*)(JudgeWork&);
  const Change changes[] = {
      [](JudgeWork&) {},
      [](JudgeWork& w) { w.task = "Abs"; },
      [](JudgeWork& w) { w.candidate.text = "y"; },
      [](JudgeWork& w) { w.candidate.form = Form::kKernel; },
      [](JudgeWork& w) { w.candidate.files["a"] = "x"; },
      [](JudgeWork& w) { w.candidate.files["b"] = "x"; },
      [](JudgeWork& w) { w.candidate.files["a"] = "y"; },
      [](JudgeWork& w) { w.cases = {"0"}; },
      [](JudgeWork& w) { w.chip = "910B1"; },
      [](JudgeWork& w) { w.precision = "upstream"; },
      [](JudgeWork& w) { w.inputs = "upstream"; },
      [](JudgeWork& w) { w.seed = 6; },
      [](JudgeWork& w) { w.hidden = 1; },
      [](JudgeWork& w) { w.time = true; },
      [](JudgeWork& w) { w.spans = true; },
      [](JudgeWork& w) { w.advise = true; },
      [](JudgeWork& w) { w.edits = true; },
      [](JudgeWork& w) { w.label = "l"; },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    JudgeWork work = Sqrt();
    changes[i](work);
    EXPECT_TRUE(is_new(work)) << i;
    EXPECT_FALSE(is_new(work)) << i;
    EXPECT_TRUE(is_new(ExamineWork{work, {}, 8, 1})) << i;
  }
  JudgeWork work = Sqrt();
  work.seed = 5, work.hidden = 0;
  EXPECT_FALSE(is_new(work)) << "as where nobody says";
  EXPECT_NE(KeyOfWork(Sqrt(), 5, Tasks()), KeyOfWork(Sqrt(), 6, Tasks()));
  EXPECT_TRUE(is_new(ExamineWork{Sqrt(), {"c"}, 8, 1}));
  EXPECT_TRUE(is_new(ExamineWork{Sqrt(), {}, 9, 1}));
  EXPECT_TRUE(is_new(ExamineWork{Sqrt(), {}, 8, 2}));
  const KernelWork kernels[] = {{"x"},
                                {"y"},
                                {"x", "l"},
                                {"x", "", "910B1"},
                                {"x", "", std::string(chip::kDefaultChip), 2},
                                {"x", "", std::string(chip::kDefaultChip), 1, true},
                                {"x", "", std::string(chip::kDefaultChip), 1, false, true}};
  for (const KernelWork& kernel : kernels) EXPECT_TRUE(is_new(kernel)) << kernel.source;
}

TEST(BytesOfWork, AreThoseOfItsTexts) {
  JudgeWork work = Sqrt();
  const size_t least = BytesOf(work) - 1;
  EXPECT_GT(least, 0u);
  work.candidate.files = {{"ab", "cde"}, {"f", "gh"}}, work.label = "mine";
  EXPECT_EQ(BytesOf(work), least + 1 + 8 + 4);
  EXPECT_EQ(BytesOf(ExamineWork{work, {}, 8, 1}), least + 13);
  EXPECT_EQ(BytesOf(KernelWork{"abc", "de"}), least + 5);
  EXPECT_EQ(SubjectOf(KernelWork{"abc"}), "(kernel)");
  work.task = std::string(101, 't');
  EXPECT_EQ(SubjectOf(work), std::string(100, 't'));
  EXPECT_EQ(SubjectOf(ExamineWork{work, {}, 8, 1}), std::string(100, 't'));
}

// What a caller of /v1 would look up, an agent asks a tool for.
TEST(ToolErrors, SayWhatAnAgentCanAsk) {
  const std::pair<const char*, const char*> rows[] = {
      {"GET /v1/tasks/Sqrt lists its cases", "show_task lists its cases"},
      {"GET /v1/tasks lists all of them", "list_tasks lists them"},
      {"GET /openapi.json describes them all", "tools/list describes the arguments"},
      {"see GET /v1/tasks", "see GET /v1/tasks"},
      {"", ""}};
  for (const auto& [fix, told] : rows) {
    const ToolResult result = ToolError({"AK1", "m", "w", fix}, true);
    EXPECT_TRUE(result.failed);
    EXPECT_EQ(result.content["error"].dump(),
              R"({"code":"AK1","fix":")" + std::string(told) +
                  R"(","message":"m","retryable":true,"where":"w"})");
  }
  EXPECT_EQ(ToolError({"AK1", "m", "w", ""}).content["error"]["retryable"], false);
}

std::string Ids(const std::vector<Journal::Entry>& entries) {
  std::string out;
  for (const auto& e : entries)
    out += e.id + (e.attempts ? "+" + std::to_string(e.attempts) : "") + " ";
  return out;
}

TEST(JournalRows, InOrderWithTheirAttempts) {
  auto journal = std::move(*Journal::Open(""));
  for (const char* id : {"b", "a", "c", "d"})
    ASSERT_TRUE(journal->Accept({id, "me", id[0] == 'd' ? "" : id, "f", "{}", "", 0}).ok());
  EXPECT_FALSE(journal->Accept({"a", "me", "", "f", "{}", "", 0}).ok()) << "an id is one job's";
  EXPECT_TRUE(journal->GiveBack("b").ok());
  EXPECT_EQ(Ids(journal->Unended()), "b a c d ") << "none is given back that was not begun";
  EXPECT_TRUE(journal->Begin("a").ok() && journal->Begin("a").ok() && journal->Begin("c").ok());
  EXPECT_TRUE(journal->GiveBack("c").ok());
  EXPECT_EQ(Ids(journal->Unended()), "b a+2 c d ");
  EXPECT_FALSE(journal->ByKey("me", "") || journal->ByKey("other", "a") || journal->ById("e"));
  EXPECT_TRUE(journal->End("a", "answer", false).ok() && journal->End("b", "none", true).ok());
  EXPECT_EQ(Ids(journal->Unended()), "c d ");
  EXPECT_EQ(journal->ByKey("me", "a")->answer, "answer");
  EXPECT_FALSE(journal->ByKey("me", "b"));
  EXPECT_EQ(journal->ById("b")->answer, "none");
  journal->Prune(3600, 2);
  EXPECT_TRUE(journal->ById("a") && journal->ById("b"));
  journal->Prune(3600, 1);
  EXPECT_FALSE(journal->ById("b")) << "the earlier one goes";
  EXPECT_TRUE(journal->ById("a"));
  journal->Prune(0, 9);
  EXPECT_FALSE(journal->ById("a"));
  EXPECT_EQ(Ids(journal->Unended()), "c d ") << "what has not ended stays";
}
}  // namespace
}  // namespace akgen::serve
