// The record of a judgement, read and written; what records mix.
#include "record/judgement.h"

#include <gtest/gtest.h>

namespace akgen::record {
namespace {
using base::Json;

Judgement Sample() {
  Judgement j;
  j.version = "0.1.0", j.task = "Sqrt", j.category = "Math", j.project = "p", j.chip = "910B2",
  j.level = 1;
  j.sealed = true, j.verdict = Verdict::kFinding, j.reason = "AK1201", j.seed = 7,
  j.precision = "strict";
  j.checks = {"memcheck", "racecheck"};
  CaseRecord c;
  c.id = "3", c.verdict = Verdict::kFinding, c.numbers_pass = true, c.block_dim = 48,
  c.orders = {1, 2};
  Finding f;
  f.code = "AK1201", f.message = "a race", f.place = {"op_kernel/k.cpp", 7, "PIPE_V", "Add", 0};
  c.findings = {f};
  c.modelled = {{"us", 4.0},
                {"baseline_us", 8.0},
                {"range_us", {3.0, 5.0}},
                {"baseline_range_us", {nullptr, 9.0}},
                {"estimator", "e1"},
                {"pipes", Json::object()}};
  j.cases = {c, CaseRecord()};
  j.cases[1].id = "4";
  j.findings = {{f, {"3"}}};
  j.provenance = {"t", "j", "c", "k", "", "", Json()};
  return j;
}

TEST(Judgement, ComesBackAsItWas) {
  const Json written = ToJson(Sample());
  auto read = JudgementFromJson(written);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(ToJson(*read), written);
  EXPECT_EQ(read->cases[0].verdict, Verdict::kFinding);
  EXPECT_FALSE(read->cases[1].verdict) << "skipped";
  EXPECT_EQ(written["cases"][1]["verdict"], "skipped");
  EXPECT_EQ(read->findings[0].cases, std::vector<std::string>{"3"});
}

// One of the chip with that of a device inside.
Judgement OnBoth() {
  Judgement j = Sample(), npu = Sample();
  npu.backend = Backend::kNpu, npu.sealed = false;
  npu.provenance.device = DeviceFacts{1, "Ascend910B2", "8.3.RC1", "25.0"};
  npu.cases[0].vendor_code = 507035;
  MeasuredTime time = MeasuredOf({{9, 1800, 1800}, {10, 1800, 1800}, {11, 1700, 1800}},
                                 {TimeSource::kProfiler, 5, 0, 3, 64, true});
  time.pipes = {{"vec", 3.5}}, time.same_outputs = false, time.note = "as made up";
  npu.cases[0].measured = time;
  j.npu = {npu};
  return j;
}

TEST(Judgement, OneOfADeviceComesBackInside) {
  const Json written = ToJson(OnBoth());
  auto read = JudgementFromJson(written);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(ToJson(*read), written);
  ASSERT_EQ(read->npu.size(), 1u);
  EXPECT_EQ(read->npu[0].cases[0].measured->us, 9.5);
  EXPECT_EQ(read->npu[0].cases[0].measured->slow_clock, 1);
  EXPECT_EQ(read->npu[0].cases[0].measured->rule.source, TimeSource::kProfiler);
  EXPECT_FALSE(ToJson(Sample()).contains("npu"));
}

TEST(Judgement, WhatIsInsideIsOfADeviceAndHoldsNoOther) {
  Json guest = ToJson(OnBoth()), nested = guest, unknown = guest;
  guest["npu"]["backend"] = "guest";
  nested["npu"]["npu"] = nested["npu"];
  unknown["npu"]["cases"][0]["measured"]["rule"]["source"] = "wall clock";
  for (const Json& bad : {guest, nested, unknown}) EXPECT_FALSE(JudgementFromJson(bad).ok());
}

TEST(Judgement, AContradictionOnTheDeviceIsOne) {
  Judgement j = OnBoth();
  EXPECT_EQ(ContradictionIn(j), "");
  j.npu[0].sealed = true;
  EXPECT_NE(ContradictionIn(j).find("on the device: sealed"), std::string::npos);
}

TEST(Judgement, OlderRecordsLackMembers) {
  auto read = JudgementFromJson(
      {{"task", "Sqrt"}, {"verdict", "pass"}, {"cases", {{{"id", "0"}, {"verdict", "pass"}}}}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->sealed) << "a record that does not say so is not sealed";
  EXPECT_TRUE(read->cases[0].Passed());
  EXPECT_TRUE(read->version.empty());
}

TEST(Judgement, WhatNobodyWroteIsRefused) {
  const Json good = ToJson(Sample());
  auto with = [&](const char* key, Json value) {
    Json j = good;
    j[key] = std::move(value);
    return j;
  };
  for (const Json& bad :
       {with("verdict", "passed"), with("schema", kVerdictSchema + 1), with("backend", "cloud"),
        with("cases", 3), with("seed", "seven"), Json::array(), Json(), Json{{"task", "Sqrt"}}}) {
    auto read = JudgementFromJson(bad);
    ASSERT_FALSE(read.ok()) << bad.dump().substr(0, 80);
    EXPECT_EQ(read.error().code, "AK0014");
  }
}

TEST(Judgement, Times) {
  const Judgement j = Sample();
  const auto time = j.cases[0].Time();
  ASSERT_TRUE(time);
  EXPECT_EQ(time->own.us, 4.0);
  EXPECT_EQ(time->own.high, 5.0);
  EXPECT_EQ(time->eager.us, 8.0);
  EXPECT_EQ(time->estimator, "e1");
  EXPECT_FALSE(ModelledFromJson({{"trace_cut", true}}));
}

TEST(Mixture, SaysInWhatRecordsDiffer) {
  Judgement a = Sample(), b = Sample();
  Mixture same;
  same.Add(ToJson(a)), same.Add(ToJson(b)), same.Add(Json("no record"));
  EXPECT_TRUE(same.Said().empty());
  b.provenance.judge = "other", b.provenance.chip = "slower clock",
  b.cases[0].modelled["estimator"] = "e2";
  Mixture mixed;
  mixed.Add(ToJson(a)), mixed.Add(ToJson(b));
  ASSERT_EQ(mixed.Said().size(), 3u);
  EXPECT_TRUE(mixed.Said()[0].starts_with("2 judges"));
  EXPECT_TRUE(mixed.Said()[1].starts_with("2 timing models"));
  EXPECT_TRUE(mixed.Said()[2].starts_with("2 estimators"));
}

TEST(Mixture, TwoChipsHaveTwoClocks) {
  Judgement a = Sample(), b = Sample();
  b.chip = "910B1", b.provenance.chip = "d";
  Mixture mixed;
  mixed.Add(ToJson(a)), mixed.Add(ToJson(b));
  EXPECT_EQ(mixed.Said(), std::vector<std::string>{"2 chips"});
}

TEST(Summary, IsWhatAnyRecordSays) {
  auto s = SummaryOf({{"verdict", "no_code"}, {"sealed", true}, {"reason", 3}});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->verdict, "no_code");
  EXPECT_TRUE(s->sealed);
  EXPECT_TRUE(s->reason.empty());
  EXPECT_FALSE(SummaryOf({{"task", "x"}}));
  EXPECT_FALSE(SummaryOf("pass"));
}

TEST(Judgement, ContradictsItself) {
  Judgement good = Sample();
  EXPECT_EQ(ContradictionIn(good), "");
  good.verdict = Verdict::kPass;
  EXPECT_EQ(ContradictionIn(good), "a pass with case 3, which is finding");
  good.cases[0].verdict = Verdict::kPass;
  EXPECT_EQ(ContradictionIn(good), "a pass with a finding in case 3");
  good.cases[0].findings[0].warning = true;
  EXPECT_EQ(ContradictionIn(good), "");
  Judgement none = good;
  none.cases.erase(none.cases.begin());  // a skipped one is left
  EXPECT_EQ(ContradictionIn(none), "a pass without a case that passed");
  none.cases.clear();
  EXPECT_EQ(ContradictionIn(none), "a pass without a case that passed");
  none.verdict = Verdict::kWrongAnswer;
  EXPECT_EQ(ContradictionIn(none), "wrong_answer without such a case");
  none.verdict = Verdict::kBuildError;
  EXPECT_EQ(ContradictionIn(none), "");
  good.backend = Backend::kNative;
  EXPECT_EQ(ContradictionIn(good), "sealed, but its kernel ran as machine code (backend native)");
  good.sealed = false;
  EXPECT_EQ(ContradictionIn(good), "");
}
}  // namespace
}  // namespace akgen::record
