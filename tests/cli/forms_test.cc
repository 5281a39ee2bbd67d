// What the command prints, to the letter: profiles, findings and judgements that are made up,
// beside golden/.
#include <gtest/gtest.h>

#include <random>

#include "../golden.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/profile_text.h"
#include "cli/progress.h"

namespace akgen::cli {
namespace {

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool One(uint64_t in) { return Below(in) == 0; }
  double Us(uint64_t hundredths) { return double(Below(hundredths)) / 100; }

 private:
  std::mt19937_64 random_;
};

judge::LaunchProfile DrawnProfile(Draw& d, record::LaunchTime& t) {
  judge::LaunchProfile p;
  p.subject = "k.cpp", p.chip = "910B2";
  const double unit = d.One(3) ? 0.004 : 1;  // of some all times are below a microsecond
  t.core_us = unit * (1 + d.Us(9000)), t.us = t.core_us + unit * d.Us(900),
  t.cores = 1 + int(d.Below(48)), t.blocks = 1 + int(d.Below(64));
  t.ub_used = double(d.Below(196608));
  if (!d.One(3)) t.low = 0.75 * t.us, t.high = 1.5 * t.us;
  if (!d.One(3)) t.eager_us = unit * d.Us(20000), t.eager_kernels = int(d.Below(9));
  if (t.eager_us > 0 && d.One(2)) t.eager_low = t.eager_us / 2, t.eager_high = t.eager_us * 2;
  if (d.One(2)) t.scaled = record::ScaledTime{2, t.us * 1.5, t.us / 10};
  for (const char* pipe : {"V", "S", "MTE2", "MTE3"}) {
    if (d.One(4)) continue;
    record::PipeTime& pipes = t.pipes[pipe];
    pipes.busy_us = t.core_us * double(d.Below(101)) / 100, pipes.instructions = d.Below(1000);
    pipes.conflict_us = t.core_us * double(d.Below(3)) / 100,
    pipes.shared_us = t.core_us * double(d.Below(3)) / 100;
    pipes.bytes = double(d.Below(100000)), pipes.bursts = double(d.Below(3)) * 8;
    for (const char* on : {"V", "MTE2", "S"})
      if (d.One(2)) pipes.waits[on] = t.core_us * double(d.Below(5)) / 1000;
  }
  p.limits.bottleneck = "MTE2-bound", p.limits.why = "why", p.limits.us = t.us;
  for (uint64_t n = d.Below(3); n > 0; --n) {
    judge::Advice a{
        "double_buffer", "Use two buffers.", d.One(2) ? "" : "k.cpp", int(n), t.us * 0.5, 0, 0};
    if (d.One(2)) a.gain_low = 0.5, a.gain_high = 2.25;
    p.limits.advice.push_back(a);
  }
  if (!d.One(3)) p.bound_us = t.us / 3, p.bound_of_task = d.One(2);
  p.roofline.bound_by = "HBM";
  if (!d.One(3))
    p.roofline.memories = {{"HBM", double(d.Below(4'000'000)), 1500},
                           {"L2", double(d.Below(2000)), 0}};
  if (!d.One(3)) p.roofline.units = {{"vector", double(d.Below(4'000'000'000)), 12000}};
  if (!d.One(4)) {
    p.path = {1, 2}, p.path_core = uint32_t(d.Below(9)), p.timeline_cores = uint32_t(d.Below(48));
    for (const char* what : {"MTE2", "waiting", "S"})
      p.shares.push_back({what, d.One(3) ? 0.001 : d.Us(500)});
  }
  for (uint64_t n = d.Below(14), i = 0; i < n; ++i) {
    judge::LaunchProfile::Line line;
    line.file = d.One(9) ? "other.h" : "k.cpp", line.line = int(i) + 1, line.path_us = d.Us(900);
    line.busy["V"] = d.Us(100);
    line.text = i % 3 == 0
                    ? ""
                    : std::string(i % 4, ' ') + "Add(z, x, y, " + std::string(20 * i, 'n') + ");";
    p.lines.push_back(line);
  }
  return p;
}

TEST(CliForms, Profiles) {
  const auto chip = chip::LoadChip();
  ASSERT_TRUE(chip.ok());
  Draw d(3);
  std::string text;
  for (size_t i = 0; i < 24; ++i) {
    record::LaunchTime t, before_t;
    const judge::LaunchProfile p = DrawnProfile(d, t), earlier = DrawnProfile(d, before_t);
    const size_t width = i % 4 == 0 ? 34 + i / 4 : 100;
    text += ProfileText(p, t, *chip, width) +
            ChangesText(p, t, {"before.cpp", "910B4", before_t, earlier.lines}, width);
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "profiles.txt", text);
}

std::string Source(const std::string& file) {
  return file == "k.cpp" ? "first\n  second(x);\nthird\n" : "";
}

record::Finding DrawnFinding(Draw& d) {
  record::Finding f;
  f.code = "AK120" + std::to_string(d.Below(3)),
  f.message = "m" + std::to_string(d.Below(3)) + "\x1b", f.count = 1 + d.Below(3);
  f.warning = d.One(3), f.undecided = d.One(4), f.block = int(d.Below(3)) - 1;
  if (!d.One(4))
    f.place = {d.One(5) ? "gone.cpp" : "k.cpp", int(d.Below(4)), d.One(2) ? "" : "PIPE_V", "Add",
               0};
  if (d.One(2)) f.memory = "UB", f.address = int64_t(d.Below(9)) - 4, f.bytes = d.Below(3) * 4;
  if (d.One(2)) f.buffer = "x";
  if (d.One(2))
    f.other =
        record::Place{"k.cpp", 2, "PIPE_MTE2", d.One(2) ? "" : "DataCopy", int(d.Below(3)) - 1};
  if (d.One(2)) f.fix = "wait";
  for (uint64_t n = d.Below(3); n > 0; --n)
    f.edits.push_back({"k.cpp", 2, 3, 2, 5, d.One(2) ? "" : "new text \n"});
  return f;
}

judge::Judgement DrawnJudgement(Draw& d, bool npu) {
  using enum record::Verdict;
  judge::Judgement j;
  const record::Verdict verdicts[] = {kPass,      kWrongAnswer, kFinding,
                                      kUndecided, kUnsupported, kBuildError};
  const auto verdict = [&] { return verdicts[d.Below(6)]; };
  j.task = "Abs", j.verdict = verdict(), j.reason = d.One(2) ? "" : "why m0", j.seed = d.Below(100);
  if (d.One(4)) j.build_options = {"-O3", "--cce-auto-sync=off"};
  for (uint64_t n = d.Below(3); n > 0; --n)
    j.diagnostics.push_back({d.One(2) ? "error" : "warning", "k.cpp", int(n), 2, "text", {}});
  for (uint64_t n = d.Below(4), i = 0; i < n; ++i) {
    judge::CaseResult c;
    c.id = std::to_string(i), c.verdict = verdict(), c.skipped = d.One(5),
    c.reason = d.One(2) ? "" : "m1 of a case";
    c.block_dim = uint32_t(d.Below(48)), c.tiling_key = d.Below(9), c.build_ms = d.Us(9000),
    c.run_ms = d.Us(9000);
    for (uint64_t k = d.Below(3); k > 0; --k) c.findings.push_back(DrawnFinding(d));
    if (d.One(3)) c.print = d.One(2) ? "printed" : "printed\n";
    if (d.One(2))
      c.modelled = {{"us", 2.5},          {"range_us", {2.5, d.One(2) ? 2.5 : 3}},
                    {"bound_us", 1.25},   {"eager_us", 5},
                    {"eager_kernels", 2}, {"baseline_us", 5},
                    {"regime", "r"}};
    else if (d.One(2))
      c.modelled = {{"scalar_unpriced", true}};
    if (d.One(3)) {
      record::MeasuredTime& t = c.measured.emplace();
      if (!d.One(3))
        t.us = 3, t.p10 = 2, t.p90 = 4, t.launches = 7, t.slow_clock = int(d.Below(2)),
        t.outliers = int(d.Below(2));
      if (d.One(2)) t.clock_mhz = 1700, t.rated_mhz = 1800;
      if (d.One(2)) t.note = "n";
      if (d.One(2)) t.same_outputs = d.One(2);
    }
    c.values = {{"y", 8, int64_t(d.Below(2)), int64_t(d.Below(2)), -1.5, 2.0},
                {"z", 2, 2, 0, {}, {}}};
    record::OutputResult o;
    o.name = "y", o.elements = 6, o.mismatches = int64_t(d.Below(3)),
    o.region = d.One(2) ? "" : "the last row";
    if (d.One(2)) o.shape = {2, 3};
    if (!d.One(4)) o.worst = {{4, 1.5, NAN}, {0, 1e30, 2}};
    c.outputs = {o};
    j.cases.push_back(c);
  }
  if (npu) {
    j.npu = {DrawnJudgement(d, false)};
    if (d.One(2)) j.npu[0].provenance.device = record::DeviceFacts{1, "Ascend910B2", "8.3", "25"};
  }
  return j;
}

TEST(CliForms, Judgements) {
  Draw d(4);
  testing::internal::CaptureStdout();
  for (int i = 0; i < 40; ++i)
    PrintJudgement(DrawnJudgement(d, d.One(5)), Source, d.One(2), !d.One(3));
  for (int i = 0; i < 40; ++i) PrintFinding(DrawnFinding(d), Source);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "judgements.txt", testing::internal::GetCapturedStdout());
}

TEST(CliForms, ExitStatusOfAStore) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(StoreFailed({"AK0503", "no store", "", ""}), kUsage);
  EXPECT_EQ(StoreFailed({"AK0504", "no disk", "here", "do"}), kFault);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("no store"), std::string::npos);
  EXPECT_NE(said.find("no disk"), std::string::npos);
  EXPECT_EQ(kOk + kNotPassed * 10 + kUsage * 100 + kFault * 1000, 3210);
}

TEST(CliForms, JsonGoesToAFileOrOut) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(WriteJson({{"a", 1}}, "-"), kOk);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{\n  \"a\": 1\n}\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(WriteJson({}, "/nowhere/file"), kFault);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("AK0002"), std::string::npos);
}

TEST(CliForms, NoProgressIsShownBeforeTenSecondsWhereNothingMoves) {
  testing::internal::CaptureStderr();
  {
    Progress bar;
    bar.Show(1, 2, 0, "what");
    bar.Steps()(2, 2, "what");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace akgen::cli
