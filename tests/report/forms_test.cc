// Every form of a report, to the letter: drawings, tables and explanations of made-up records,
// beside golden/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../golden.h"
#include "base/files.h"
#include "base/hash.h"
#include "record/judgement.h"
#include "report/beside.h"
#include "report/curves.h"
#include "report/explain.h"
#include "report/explained.h"
#include "report/on_device.h"
#include "report/parity.h"
#include "report/parity_case.h"
#include "report/report.h"
#include "report/sarif.h"
#include "report/timeline.h"

namespace akgen::report {
namespace {
namespace fs = std::filesystem;
using base::Json;

// Style and script are of no interest here.
std::string Content(std::string text) {
  for (const std::string tag : {"style", "script"}) {
    const size_t at = text.find("<" + tag + ">"), end = text.find("</" + tag + ">");
    if (at != std::string::npos && end != std::string::npos) text.erase(at, end - at);
  }
  return text;
}

void ExpectGolden(const std::string& name, const std::string& text) {
  ::ExpectGolden(AKGEN_GOLDEN_FOLDER, name, text);
}

record::Timeline Made(size_t spans) {
  record::Timeline t;
  t.pipes = {"V", "MTE2", "M", "S", "MTE3", "FIX", "MTE1", "other cores"};
  t.names = {"Add", "DataCopy", "Mmad", "<", "Fixpipe", "LoadData", "wait flag"};
  t.sites = {{"", 0}, {"a/k.cpp", 7}, {"k.cpp", 6}, {"k.cpp", 0}, {"k.cpp", 8}};
  t.cores = 4;
  t.spans = {{2, 6, 0, 0, 1, false, 0, 1},    {1, 2, 0, 1, 1, false, 1, 2},
             {0.5, 10, 1, 2, 2, false, 2, 0}, {0, 0.001, 1, 3, 3, false, 3, 3},
             {6, 6.25, 0, 4, 0, false, 1, 4}, {3, 4, 2, 5, 5, false, 4, 0},
             {1, 4, 3, 6, 6, false, 5, 2},    {1, 2, 0, 0, 1, true, 6, 1}};
  t.spans.resize(std::min(spans, t.spans.size()));
  return t;
}

TEST(Timeline, Forms) {
  const record::Timeline all = Made(8);
  ExpectGolden("timeline.svg",
               TimelineSvg(all) + "\n" + TimelineSvg(Made(2)) + "\n" + TimelineSvg({}) + "\n");
  ExpectGolden("timeline.txt", TimelineText(all, 20) + TimelineText({}));
  ExpectGolden("trace.json", ChromeTrace(all).dump(1) + "\n");
}

record::Parity MadeParity() {
  record::Parity p;
  const char* bounds[] = {"launch", "bandwidth", "compute", "sync", "what"};
  for (int i = 0; i < 14; ++i)
    p.rows.push_back({"k" + std::to_string(i),
                      std::to_string(i % 3),
                      {i},
                      false,
                      bounds[i % 5],
                      10.0 + i,
                      10.0 + i + (i % 2 ? 1 : -1) * i * 0.25,
                      (i % 2 ? 1 : -1) * i * 0.25 / (10.0 + i)});
  p.untied = {{9, "x|y", "2", "no such kernel"}};
  p.errors.rows = 14, p.errors.median = 0.0625, p.errors.p90 = 0.125,
  p.errors.by_regime["sync"] = {3, 0.5, 0.75};
  return p;
}

TEST(ParityPage, Forms) {
  ExpectGolden("parity.html", Content(ParityHtml(MadeParity(), "a < b")));
  ExpectGolden("parity.md", ParityMarkdown(MadeParity()));
  record::Parity wide;
  wide.rows = {{"a", "0", {}, false, "sync", 1, 1000, 999}, {"b", "0", {}, false, "sync", 5, 5, 0}};
  ExpectGolden("parity_wide.html",
               Content(ParityHtml(wide, "t")) + Content(ParityHtml({}, "none")));
}

TEST(Beside, Forms) {
  record::Comparison c;
  c.runs = {"a", "b<"};
  c.tasks["Abs"] = {{"a", {8, 0, 9, 2, 3, 4, 6, 0}}, {"b<", {8, 1, 9, 2, 3, 0, 0, 2.5}}};
  c.tasks["Exp"] = {{"b<", {1, 0, 1, 1, 1, 1, 1, 4}}};
  c.all = {{"a", {8, 0, 9, 2, 3, 4, 6, 0}}, {"b<", {8, 1, 9, 2, 3, 0, 0, 2.5}}};
  c.first_verdicts["a"] = {{"pass", 3}, {"finding", 1}};
  ExpectGolden("beside.html", Content(BesideHtml(c, "two")));
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    dir_ = std::make_unique<base::TempDir>(std::move(*dir));
  }
  std::string Put(const std::string& name, const std::string& text) {
    const fs::path file = dir_->path() / name;
    fs::create_directories(file.parent_path());
    EXPECT_TRUE(base::WriteFileAtomic(file, text).ok());
    return file;
  }
  std::unique_ptr<base::TempDir> dir_;
};

std::string Steps(int n, bool validated) {
  std::string out;
  for (int i = 1; i <= n; ++i) {
    Json j{{"step", i},
           {"loss", 4.0 - 3.0 * i / n},
           {"tokens", 10},
           {"seconds", 6},
           {"tokens_per_s", 100 + i % 7}};
    if (validated && i % 10 == 0) j["validation_loss"] = 2 + (i == 30 ? -1 : 0) + i * 0.01;
    out += j.dump() + "\n";
  }
  return out;
}

TEST_F(Files, CurvesOfTraining) {
  const std::string one = Put("one/metrics.jsonl", Steps(50, true)),
                    two = Put("two.jsonl", Steps(3, false));
  EXPECT_TRUE(IsTraining(one));
  EXPECT_FALSE(IsTraining(Put("other", R"({"step":1,"loss":2.0})"
                                       "\n")));
  EXPECT_FALSE(IsTraining(Put("other", R"({"step":1,"tokens_per_s":2.0})"
                                       "\n")));
  auto runs = TrainingFrom({one, two});
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ExpectGolden("training.json", ToJson(*runs).dump() + "\n");
  ExpectGolden("training.md", TrainingMarkdown(*runs));
  ExpectGolden("training.html", Content(TrainingHtml(*runs, "curves")));
  EXPECT_FALSE(TrainingFrom({Put("none", "")}).ok());
  EXPECT_TRUE(TrainingFrom({Put("cut", Steps(1, false) + "{\"st")}).ok())
      << "a last line still being written";
  auto wrong = TrainingFrom({Put("wrong", Steps(2, false) + "{}\n")});
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(wrong.error().where.ends_with("wrong:3")) << wrong.error().where;
}

TEST_F(Files, CurvesHaveFourHundredPointsAtMost) {
  const auto points = [&](int n) {
    return (*TrainingFrom({Put("long", Steps(n, false))}))[0].series.at("loss");
  };
  EXPECT_EQ(points(400).size(), 400u);
  const auto thin = points(401);
  EXPECT_EQ(thin.size(), 201u);
  EXPECT_EQ(thin[0].first, 2);
  EXPECT_DOUBLE_EQ(thin[0].second, 4 - 4.5 / 401) << "the mean of two steps";
  EXPECT_EQ(thin[200].first, 401);
  EXPECT_DOUBLE_EQ(thin[200].second, 1);
}

record::CaseRecord Case(const std::string& id, std::optional<record::Verdict> verdict,
                        double us = 0, double measured = 0) {
  record::CaseRecord c;
  c.id = id, c.verdict = verdict;
  if (verdict && verdict != record::Verdict::kPass) c.reason = "why " + id;
  if (us > 0) c.modelled = {{"us", us}, {"range_us", {us / 2, us * 2}}, {"baseline_us", us}};
  if (measured > 0) c.measured.emplace().us = measured, c.measured->note = "n";
  return c;
}

record::Judgement OnBoth() {
  using enum record::Verdict;
  record::Judgement j, npu;
  j.task = "Abs|x", j.version = "1.2.3", j.chip = "910B2", j.precision = "strict", j.seed = 7,
  j.verdict = kFinding;
  npu = j, npu.backend = record::Backend::kNpu;
  npu.provenance.device = record::DeviceFacts{0, "Ascend910B2", "8.3", "25.0"};
  j.provenance.judge = "jj";
  j.cases = {Case("0", kPass, 10, 0), Case("1", kFinding), Case("2", kPass),
             Case("3", kUnsupported), Case("4", {}),       Case("5", kPass, 4, 0),
             Case("7", kWrongAnswer)};
  npu.cases = {Case("0", kPass, 0, 8),  Case("1", kPass), Case("2", kRuntimeError),
               Case("3", kPass),        Case("4", kPass), Case("5", kPass, 0, 4),
               Case("6", kWrongAnswer), Case("7", kPass)};
  npu.cases[2].vendor_code = 507035;
  j.npu = {npu};
  return j;
}

TEST(OnDevice, Forms) {
  DeviceComparison c;
  c.Add(OnBoth(), 2, "hidden");
  c.Add(OnBoth(), 3, "public");
  c.Add(OnBoth().npu[0], 0, "public");
  record::Judgement alone = OnBoth();
  alone.npu.clear();
  c.Add(alone, 1, "public");
  ExpectGolden("device.md", DeviceMarkdown(c));
  ExpectGolden("device.json", ToJson(c).dump(1) + "\n");
  ExpectGolden("device_none.md", DeviceMarkdown({}));
}

TEST_F(Files, ADisagreementIsAFolder) {
  record::Judgement j = OnBoth();
  Put("candidate/op_kernel/k.cpp", "x\n");
  j.project = dir_->path() / "candidate";
  j.provenance.candidate = base::HashOfFolder(j.project);
  Put("task/task.toml", "t\n");
  Put("task/large", std::string((1 << 20) + 1, 'x'));
  Put("task/just", std::string(1 << 20, 'x'));
  fs::create_symlink("task.toml", dir_->path() / "task/link");
  Json record = record::ToJson(j);
  record["sample"] = 4, record["part"] = "hidden";
  const auto all =
      DisagreementsIn({record, Json("no record"), record::ToJson(record::Judgement())});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].FolderName(), "Abs_x_4_hidden_2");
  const fs::path out = dir_->path() / "out";
  ASSERT_TRUE(WriteParityCase(all[0], dir_->path() / "task", out).ok());
  EXPECT_FALSE(WriteParityCase(all[0], dir_->path() / "task", out).ok()) << "it is there already";
  ExpectGolden("parity_case.md", *base::ReadFile(out / "README.md"));
  std::string files;
  for (const auto& e : fs::recursive_directory_iterator(out))
    if (e.is_regular_file()) files += fs::relative(e.path(), out).string() + " ";
  for (const char* file :
       {"candidate/op_kernel/k.cpp", "task/task.toml", "task/just", "README.md", "record.json"})
    EXPECT_NE(files.find(file), std::string::npos) << file;
  EXPECT_EQ(files.find("task/l"), std::string::npos)
      << "large files and links stay behind: " << files;
  const Json kept = Json::parse(*base::ReadFile(out / "record.json"));
  EXPECT_EQ(kept["project"], "candidate");
  EXPECT_EQ(kept["cases"].size(), 1u);
  EXPECT_EQ(kept["npu"]["cases"].size(), 1u);
  Put("candidate/op_kernel/k.cpp", "y\n");
  ASSERT_TRUE(WriteParityCase(all[1], dir_->path() / "task", dir_->path() / "second").ok());
  EXPECT_FALSE(fs::exists(dir_->path() / "second/candidate")) << "no longer what was judged";
}

// A record of an attempt at Abs, or at another task.
Json RecordOf(record::Verdict verdict, Json more = Json::object()) {
  record::Judgement j;
  j.task = "Abs", j.version = "1", j.chip = "910B2", j.precision = "strict", j.seed = 7,
  j.verdict = verdict;
  j.reason = verdict == record::Verdict::kPass ? "" : "why";
  j.cases = {Case("0", verdict)};
  j.provenance.candidate = "c";
  Json out = record::ToJson(j);
  out["sealed"] = true;
  out.update(more);
  return out;
}

TEST_F(Files, RecordsThatAreRefused) {
  const std::string good = RecordOf(record::Verdict::kPass).dump(),
                    no = "this is neither a store of runs nor verdict records: ";
  const struct {
    std::string text, message;
  } rows[] = {
      {good, ""},
      {"[" + good + "]", ""},
      {good + "\n \t\n" + RecordOf(record::Verdict::kPass, {{"sample", 5}}).dump() + "\n", ""},
      {"", no + "it is empty"},
      {"[]", no + "it is empty"},
      {" \n\n", no + "it is empty"},
      {"3", no + "line 1 is not a JSON object"},
      {good + "\n\n[]\n", no + "line 3 is not a JSON object"},
      {"{}", no + "record 1 has no task or no verdict"},
      {"[" + good + "," + RecordOf(record::Verdict::kPass, {{"task", ""}}).dump() + "]",
       no + "record 2 has no task or no verdict"},
      {RecordOf(record::Verdict::kPass, {{"sample", 99999}}).dump(), ""},
      {RecordOf(record::Verdict::kPass, {{"sample", 100000}}).dump(),
       no + "a sample's number is not from 0 to 99,999"},
      {RecordOf(record::Verdict::kPass, {{"sample", -1}}).dump(),
       no + "a sample's number is not from 0 to 99,999"},
  };
  for (const auto& row : rows) {
    auto model = LoadModel(Put("records", row.text), {});
    EXPECT_EQ(model.ok() ? "" : model.error().message, row.message) << row.text.substr(0, 40);
    if (!model.ok()) EXPECT_EQ(model.error().code, "AK0610");
  }
  const Json twice = Json::array({RecordOf(record::Verdict::kPass, {{"sample", 2}}),
                                  RecordOf(record::Verdict::kFinding, {{"sample", 2}})});
  auto model = LoadModel(Put("records", twice.dump()), {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, "AK0505");
  EXPECT_EQ(LoadModel(dir_->path() / "gone", {}).error().code, "AK0001");
}

// By sample: its verdicts on the public and on the hidden cases, and what the report says of it.
TEST_F(Files, SamplesByBothParts) {
  using enum record::Verdict;
  const Json hidden{{"part", "hidden"}};
  const auto of = [](record::Verdict v, int sample, Json more) {
    more["sample"] = sample;
    return RecordOf(v, more);
  };
  Json all = Json::array({of(kPass, 0, {}), of(kPass, 0, hidden), of(kPass, 1, {}),
                          of(kWrongAnswer, 1, hidden), of(kFinding, 2, {}), of(kTimeout, 2, hidden),
                          of(kBuildError, 3, {}), of(kPass, 5, hidden),
                          RecordOf(kPass, {{"task", "Exp"}})});
  all.push_back(RecordOf(
      kPass, {{"task", "Exp"}, {"cases", Json::array()}}));  // says that it passed, and has no case
  auto model = LoadModel(Put("records", all.dump()), {});
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_TRUE(model->has_hidden);
  std::string said;
  const Json j = ToJson(*model);
  for (const Json& task : j["tasks"]) {
    said += task["name"].get<std::string>() + " " + task["right"].dump() + "/" + task["of"].dump() +
            ":";
    for (const Json& s : task["samples"])
      said += " " + s["sample"].dump() + s["verdict"].get<std::string>() +
              (s["right"] == true ? "+" : "-");
    said += "\n";
  }
  for (const Json& stage : j["flow"])
    said += stage["name"].get<std::string>() + stage["count"].dump() + stage["lost"].dump() + "\n";
  said += j["dropped"].dump() + "\n";
  ExpectGolden("samples.txt", said);
}

constexpr const char* kKernel =
    "void Process() {\n"
    "  LocalTensor<float> x = inQueue.DeQue<float>();\n"
    "  LocalTensor<float> y = this->outQueue.AllocTensor<float>();\n"
    "  auto z = calc.Get<float>();\n"
    "  Add(y, x,\n"
    "      z, 8);\n"
    "  DataCopy(out[4], y, 8);\n"
    "}\n";

record::Finding Race(int here, const char* here_pipe, int there, const char* there_pipe) {
  record::Finding f;
  f.code = "AK1201", f.check = "racecheck", f.message = "m", f.fix = "do";
  f.place = {"k.cpp", here, here_pipe, "DataCopy", 1};
  f.other = record::Place{"k.cpp", there, there_pipe, "Add", 1};
  return f;
}

TEST(Explain, Forms) {
  const auto read = [](const std::string& file) {
    return std::string(file == "k.cpp" ? kKernel : "");
  };
  std::string text;
  const auto add = [&](const record::Finding& f) { text += Explain(f, read) + "----\n"; };
  add(Race(7, "PIPE_MTE3", 5, "PIPE_V"));
  add(Race(7, "PIPE_V", 5, "PIPE_V"));
  record::Finding f = Race(5, "PIPE_V", 2, "PIPE_MTE2");
  f.other->block = 2, f.warning = true, f.count = 2, f.memory = "UB", f.address = -4, f.bytes = 8,
  f.buffer = "b";
  add(f);
  f = Race(5, "PIPE_V", 8, "PIPE_MTE2");
  f.place.what = "Add", f.edits = {{"k.cpp", 5, 3, 5, 3, "x"}, {"k.cpp", 5, 3, 6, 3, "y"}};
  add(f);
  f = Race(1, "S", 9, "PIPE_MTE2");
  f.place.block = -1, f.fix = "", f.place.pipe = "";
  add(f);
  f.check = "memcheck", f.other.reset(), f.place.file = "", f.count = 1;
  add(f);
  f.place = {"gone.cpp", 4, "", "", -1};
  add(f);
  ExpectGolden("explain.txt", text);
}

TEST(Explain, WarningsOnlyWhenAskedFor) {
  const std::string launch =
      R"({"verdict":"finding","file":"k.cpp","findings":[{"code":"AK1","message":"a"},{"code":"AK2","message":"b","warning":true}]})";
  auto all = ReadExplained("[" + launch + "]", "f", true), some = ReadExplained(launch, "f", false);
  ASSERT_TRUE(all.ok() && some.ok());
  EXPECT_EQ((*all)[0].findings.all().size(), 2u);
  EXPECT_EQ((*some)[0].findings.all().size(), 1u);
  EXPECT_EQ((*some)[0].project + (*some)[0].verdict, "k.cppfinding");
  for (const char* bad : {"", "[]", "3", "{}", "[3]"})
    EXPECT_FALSE(ReadExplained(bad, "f", true).ok()) << bad;
  auto judged = ReadExplained(record::ToJson(OnBoth()).dump(), "f", true);
  ASSERT_TRUE(judged.ok());
  EXPECT_EQ((*judged)[0].verdict, "finding");
}

TEST(SarifForm, ToTheLetter) {
  using enum record::Verdict;
  record::Finding f = Race(7, "PIPE_MTE3", 5, "PIPE_V"), open = f;
  f.place.file = "/abs/k 1.cpp", open.undecided = true, open.other.reset(), open.fix = "",
  open.place.file = "";
  record::Finding warned = Race(0, "", 0, "");
  warned.warning = true, warned.code = "AK2";
  const record::BuildDiagnostic error{"error", "k.cpp", 3, 1, "bad", {}},
      note{"warning", "k.cpp", 3, 1, "odd", {}};
  const std::vector<SarifSubject> subjects{
      {"case 0", "/p/a", kFinding, "", {f, open, warned}, {}},
      {"case 1", "/p/ab", kBuildError, "r", {}, {note, error}},
      {"case 2", "/p/ab/c", kWrongAnswer, "values", {}, {error}},
      {"case 3", "/p/a", kInfraError, "", {}, {}},
      {"case 4", "/p/a", kPass, "", {warned}, {}},
      {"case 5", "/p/a", kTimeout, "", {warned}, {}},
      {"case 6", "/p/a", kUnsupported, "", {}, {note}}};
  const SarifOptions options{"1", "file:///docs",
                             [](const std::string& code) { return code == "AK2" ? "two" : ""; }};
  ExpectGolden("sarif.json", Sarif(subjects, options).dump(1) + "\n" +
                                 Sarif({subjects[4]}, {}).dump() + "\n" + Sarif({}, {}).dump() +
                                 "\n");
}

// Lines that the sources do not have, as of sources that changed since: said, not read.
TEST(Explain, LinesThatAreNotThere) {
  const auto read = [](const std::string& file) {
    return std::string(file == "k.cpp" ? kKernel : "");
  };
  const int last = int(std::count(kKernel, kKernel + std::strlen(kKernel), '\n'));
  const auto told = [&](int here, int there) {
    return Explain(Race(here, "PIPE_MTE3", there, "PIPE_V"), read);
  };
  EXPECT_NE(told(7, 5).find("EnQue("), std::string::npos);
  for (const int gone : {-1000000, -1, 0, last + 1, last + 2, 1000000})
    for (const int there : {1, 5, 7, last, gone})
      for (const auto& [a, b] : {std::pair{gone, there}, {there, gone}}) {
        const std::string text = told(a, b);
        EXPECT_EQ(text.find("EnQue("), std::string::npos) << a << " " << b;
        EXPECT_NE(text.find("k.cpp:" + std::to_string(a)), std::string::npos) << text;
        EXPECT_NE(text.find("k.cpp:" + std::to_string(b)), std::string::npos) << text;
      }
}
}  // namespace
}  // namespace akgen::report
