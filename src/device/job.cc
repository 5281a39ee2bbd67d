#include "device/job.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace akgen::device {
using base::Json;
namespace {
constexpr size_t kMaxLaunches = 10000, kMaxText = 4000;

constexpr std::array<std::pair<JobKind, std::string_view>, 3> kJobs{
    {{JobKind::kProbe, "probe"}, {JobKind::kReset, "reset"}, {JobKind::kRun, "run"}}};
struct EndRow {
  JobEnd end;
  std::string_view name;
  const char* status;
};
constexpr EndRow kEnds[] = {{JobEnd::kOk, "ok", "ok"},
                            {JobEnd::kTimeout, "timeout", "timeout"},
                            {JobEnd::kException, "exception", "crash"},
                            {JobEnd::kMemory, "memory", "error"},
                            {JobEnd::kLost, "lost", "error"},
                            {JobEnd::kNoKernel, "no_kernel", "error"},
                            {JobEnd::kOther, "other", "error"}};

// Codes of the vendor's runtime (aclError of its documentation), by what they say of the kernel and
// of the device.
constexpr int kTimeouts[] = {507014, 507034, 507046, 507048, 107020};
constexpr int kExceptions[] = {507015, 507016, 507035, 507036, 507042,
                               507043, 507044, 507045, 507049, 507050};
constexpr int kMemories[] = {200000, 207001, 207018};
constexpr int kLosses[] = {107001, 207004, 507001, 507010, 507012,
                           507033, 507053, 507054, 507899, 507901};

template <size_t N>
bool In(const int (&codes)[N], int code) {
  return std::find(std::begin(codes), std::end(codes), code) != std::end(codes);
}
}  // namespace

JobEnd EndOf(int code) {
  return code == 0               ? JobEnd::kOk
         : In(kTimeouts, code)   ? JobEnd::kTimeout
         : In(kExceptions, code) ? JobEnd::kException
         : In(kMemories, code)   ? JobEnd::kMemory
         : In(kLosses, code)     ? JobEnd::kLost
                                 : JobEnd::kOther;
}

const char* StatusOf(JobEnd end) {
  for (const EndRow& row : kEnds)
    if (row.end == end) return row.status;
  return "error";
}

Json ToJson(const Job& job) {
  Json j{{"device", job.device},         {"runtime", job.runtime},    {"object", job.object},
         {"build", job.build},           {"inputs", job.inputs},      {"outputs", job.outputs},
         {"timeout_ms", job.timeout_ms}, {"timing_ms", job.timing_ms}};
  for (const auto& [kind, name] : kJobs)
    if (kind == job.kind) j["kind"] = name;
  if (job.kind == JobKind::kRun) j["run"] = sim::ToJson(job.run);
  if (job.timing) j["timing"] = record::ToJson(record::MeasuredOf({}, *job.timing));
  return j;
}

base::Result<Job> JobFromJson(const Json& j) {
  return base::Checked("a job for a device", [&]() -> base::Result<Job> {
    Job job;
    const std::string kind = j.at("kind");
    const auto known =
        std::find_if(kJobs.begin(), kJobs.end(), [&](const auto& k) { return k.second == kind; });
    if (known == kJobs.end()) base::ThrowJsonShape("an unknown kind of job");
    job.kind = known->first;
    job.device = j.at("device"), job.runtime = j.at("runtime"), job.object = j.at("object"),
    job.build = j.at("build");
    job.inputs = j.at("inputs"), job.outputs = j.at("outputs"), job.timeout_ms = j.at("timeout_ms");
    job.timing_ms = j.at("timing_ms");
    if (j.contains("timing")) job.timing = record::MeasuredFromJson(j.at("timing")).rule;
    if (job.kind != JobKind::kRun) return job;
    auto run = sim::RunRequestFromJson(j.at("run"));
    if (!run.ok()) return run.error();
    job.run = std::move(*run);
    return job;
  });
}

Json ToJson(const JobReply& r) {
  Json j{{"code", r.code},
         {"detail", r.detail},
         {"us", r.us},
         {"same_outputs", r.same_outputs},
         {"soc", r.soc}};
  for (const EndRow& row : kEnds)
    if (row.end == r.end) j["end"] = row.name;
  return j;
}

base::Result<JobReply> JobReplyFromJson(const Json& j) {
  return base::Checked(
      "the process that ran the candidate on a device", [&]() -> base::Result<JobReply> {
        JobReply r;
        const std::string end = j.at("end");
        const auto known = std::find_if(std::begin(kEnds), std::end(kEnds),
                                        [&](const EndRow& e) { return e.name == end; });
        if (known == std::end(kEnds)) base::ThrowJsonShape("an unknown end");
        r.end = known->end;
        r.code = j.at("code");
        r.detail = j.at("detail").get<std::string>().substr(0, kMaxText);
        r.soc = j.at("soc").get<std::string>().substr(0, kMaxText);
        r.same_outputs = j.at("same_outputs");
        r.us = j.at("us").get<std::vector<double>>();
        if (r.us.size() > kMaxLaunches)
          base::ThrowJsonShape("more launches than any rule asks for");
        if (std::any_of(r.us.begin(), r.us.end(),
                        [](double us) { return !(us >= 0 && us < 1e12); }))
          base::ThrowJsonShape("a time that is none");
        return r;
      });
}

}  // namespace akgen::device
