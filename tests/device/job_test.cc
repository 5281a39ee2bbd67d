// What akgen-device is asked and answers, and what each code of the vendor's runtime says.
#include "device/job.h"

#include <gtest/gtest.h>

namespace akgen::device {
namespace {
using base::Json;

TEST(DeviceJob, EveryKnownCodeHasItsEnd) {
  const std::pair<JobEnd, std::vector<int>> codes[] = {
      {JobEnd::kOk, {0}},
      {JobEnd::kTimeout, {107020, 507014, 507034, 507046, 507048}},
      {JobEnd::kException,
       {507015, 507016, 507035, 507036, 507042, 507043, 507044, 507045, 507049, 507050}},
      {JobEnd::kMemory, {200000, 207001, 207018}},
      {JobEnd::kLost,
       {107001, 207004, 507001, 507010, 507012, 507033, 507053, 507054, 507899, 507901}},
      {JobEnd::kOther,
       {1, -1, 100000, 107000, 107002, 107019, 107021, 200001, 207000, 207002, 207003, 207017,
        507000, 507013, 507017, 507047, 507051, 507900}}};
  for (const auto& [end, all] : codes)
    for (int code : all) EXPECT_EQ(EndOf(code), end) << code;
}

TEST(DeviceJob, WhatAnEndMeansForTheRun) {
  const std::pair<JobEnd, const char*> rows[] = {
      {JobEnd::kOk, "ok"},        {JobEnd::kTimeout, "timeout"}, {JobEnd::kException, "crash"},
      {JobEnd::kMemory, "error"}, {JobEnd::kLost, "error"},      {JobEnd::kNoKernel, "error"},
      {JobEnd::kOther, "error"}};
  for (const auto& [end, status] : rows) {
    EXPECT_STREQ(StatusOf(end), status);
    JobReply r;
    r.end = end, r.code = 3, r.detail = "d", r.us = {0, 1.5, 1e11}, r.same_outputs = false,
    r.soc = "s";
    auto back = JobReplyFromJson(ToJson(r));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->end, end);
    EXPECT_EQ(ToJson(*back), ToJson(r));
  }
}

TEST(DeviceJob, AnAnswerThatIsNoneIsRefused) {
  JobReply r;
  const auto of = [&](const char* key, Json value) {
    Json j = ToJson(r);
    j[key] = std::move(value);
    return JobReplyFromJson(j).ok();
  };
  EXPECT_TRUE(of("code", 0));
  EXPECT_FALSE(of("end", "fine"));
  EXPECT_FALSE(of("us", {-1.0}));
  EXPECT_FALSE(of("us", {1e12}));
  EXPECT_TRUE(of("us", {0.0, 0.99e12}));
  EXPECT_TRUE(of("us", std::vector<double>(10000, 1.0)));
  EXPECT_FALSE(of("us", std::vector<double>(10001, 1.0)));
  r.detail = std::string(5000, 'x'), r.soc = r.detail;
  auto cut = JobReplyFromJson(ToJson(r));
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut->detail.size(), 4000u);
  EXPECT_EQ(cut->soc.size(), 4000u);
}

TEST(DeviceJob, AJobComesBack) {
  Job job;
  job.runtime = "r", job.device = 2, job.object = "o", job.build = "b", job.inputs = "i",
  job.outputs = "p";
  job.timeout_ms = 5, job.timing_ms = 6;
  for (JobKind kind : {JobKind::kProbe, JobKind::kReset, JobKind::kRun})
    for (bool timed : {false, true}) {
      job.kind = kind;
      job.timing.reset();
      if (timed) job.timing = record::TimingRule{record::TimeSource::kProfiler, 1, 2, 3, 4, true};
      const Json j = ToJson(job);
      EXPECT_EQ(j.contains("run"), kind == JobKind::kRun);
      EXPECT_EQ(j.contains("timing"), timed);
      auto back = JobFromJson(j);
      ASSERT_TRUE(back.ok()) << back.error().message;
      EXPECT_EQ(ToJson(*back), j);
      EXPECT_EQ(back->kind, kind);
      EXPECT_EQ(back->timing.has_value(), timed);
      EXPECT_EQ(back->runtime + back->object + back->build + back->inputs + back->outputs, "robip");
    }
  Json unknown = ToJson(job);
  unknown["kind"] = "walk";
  EXPECT_FALSE(JobFromJson(unknown).ok());
}
}  // namespace
}  // namespace akgen::device
