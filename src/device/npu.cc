#include "device/npu.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/channel.h"
#include "base/process.h"
#include "device/profile.h"
#include "device/translate.h"

namespace akgen::device {
namespace fs = std::filesystem;
namespace {
constexpr const char* kProgram = "akgen-device";
constexpr int kProfileMs = 600000;  // a profiler runs a kernel several times, once for each group of counters
constexpr int kBusyMs = 900000;     // others' runs
constexpr size_t kMaxFreshInputs = 256u << 20;
constexpr uint64_t kLeastFlush = 256u << 20;
constexpr uint8_t kPoison = 0xff;  // as on the simulated chip

// Held while a device is used, by any process of this machine.
base::Result<base::Fd> Lock(int id) {
  std::error_code ec;
  const fs::path file = fs::temp_directory_path(ec) / ("akgen-npu-" + std::to_string(id) + ".lock");
  base::Fd fd(::open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMs);
  while (fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > end)
      return base::Error{"AK0621", "the device " + std::to_string(id) + " stays in use", file.string(),
                         "name another device with --npu"};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (fd.valid()) return fd;
  return base::Error{"AK0621", "the lock of the device cannot be opened", file.string(), "remove that file"};
}

sim::RunReply Ended(const char* status, std::string detail, int code = 0) {
  sim::RunReply r;
  r.status = status, r.detail = std::move(detail), r.vendor_code = code;
  return r;
}

std::string PathOf(int fd) { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd); }

base::Status PoisonOutputs(const NpuLaunch& launch) {
  size_t bytes = 0;
  const auto extent = [](const sim::RunRegion& r) { return std::max(r.bytes, r.capacity); };
  for (const sim::RunRegion& r : launch.run.regions)
    if (r.role != sim::Role::kInput) bytes = std::max(bytes, r.offset + extent(r));
  auto memory = base::SharedMemory::Map(::dup(launch.outputs_fd), bytes, true);
  if (!memory.ok()) return memory.error();
  for (const sim::RunRegion& r : launch.run.regions)
    if (r.role == sim::Role::kOutput) std::memset(memory->data() + r.offset, kPoison, extent(r));
  return {};
}
}  // namespace

base::Result<Npu> Npu::Open(const NpuOptions& options) {
  auto toolkit = FindToolkit();
  if (!toolkit.ok()) return toolkit.error();
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return folder.error();
  Npu out(options, std::move(*toolkit), std::move(*folder));
  auto probe = out.Do(out.JobOf(JobKind::kProbe), {}, options.start_ms);
  if (probe.ok() && probe->end == JobEnd::kOk) {
    out.facts_ = {options.id, probe->soc, out.toolkit_.version, out.toolkit_.driver};
    return out;
  }
  return base::Error{
      "AK0621", "device " + std::to_string(options.id) + ": " + (probe.ok() ? probe->detail : probe.error().message),
      out.toolkit_.runtime.string(), "akgen doctor --device npu; name another device with --npu"};
}

Job Npu::JobOf(JobKind kind) const {
  Job job;
  job.kind = kind, job.runtime = toolkit_.runtime.string(), job.device = options_.id;
  return job;
}

// What the process leaves running ends with it.
base::Result<JobReply> Npu::Do(const Job& job, const std::vector<int>& fds, int wall_ms) {
  auto process = base::HelperProcess::Start(kProgram, {"ASCEND_CUSTOM_OPP_PATH="});
  if (!process.ok()) return process.error();
  base::Status sent = process->channel().Send(ToJson(job), fds);
  auto reply = sent.ok() ? process->channel().Receive(wall_ms) : base::Result<base::Message>(sent.error());
  ::kill(-process->pid(), SIGKILL);
  process->Stop();
  if (!reply.ok()) return reply.error();
  return JobReplyFromJson(reply->body);
}

toolchain::BuildReply Npu::Build(const toolchain::BuildRequest& request) {
  auto translation = Translate(request, toolkit_, folder_.path());
  if (translation.ok()) return Compile(*translation, request.wall_ms);
  toolchain::BuildReply reply;
  reply.failure = "diagnostics";
  reply.unsupported_api = "for a launch on a device: " + translation.error().message;
  reply.diagnostics.push_back({"error", translation.error().where, 0, 0, translation.error().message, {}});
  return reply;
}

// The process was ended because it did not answer, although the runtime was told to wait no longer.
sim::RunReply Npu::AfterSilence() {
  auto reset = Do(JobOf(JobKind::kReset), {}, options_.start_ms);
  if (reset.ok() && reset->end == JobEnd::kOk)
    return Ended("timeout", "the kernel did not end in time; the device was reset");
  return Ended(
      "error",
      "the device does not answer and cannot be reset: " + (reset.ok() ? reset->detail : reset.error().message),
      reset.ok() ? reset->code : 0);
}

sim::RunReply Npu::Run(const NpuLaunch& launch) {
  const chip::Chip& chip = launch.run.chip;
  if (facts_.soc != chip.soc)
    return Ended("error", "device " + std::to_string(options_.id) + " is an " + facts_.soc +
                              ", and the chip asked for is " + chip.name + ": say --chip");
  auto lock = Lock(options_.id);
  if (!lock.ok()) return Ended("error", lock.error().ToString());
  if (auto poisoned = PoisonOutputs(launch); !poisoned.ok()) return Ended("error", poisoned.error().ToString());
  Job job = JobOf(JobKind::kRun);
  job.object = launch.object, job.run = launch.run, job.timeout_ms = launch.timeout_ms;
  job.build = fs::path(launch.object).parent_path().filename().string();
  if (launch.measure) {
    job.timing.emplace();
    job.timing->flush_bytes = std::max(kLeastFlush, 2 * chip.l2_bytes);
    size_t inputs = 0;
    for (const sim::RunRegion& r : launch.run.regions) inputs += r.role == sim::Role::kInput ? r.bytes : 0;
    job.timing->fresh_inputs = inputs <= kMaxFreshInputs;
  }
  const int wall_ms = options_.start_ms + launch.timeout_ms + (launch.measure ? options_.timing_ms : 0);
  auto reply = Do(job, {launch.inputs_fd, launch.outputs_fd}, wall_ms);
  if (!reply.ok()) {
    if (reply.error().code == "AK0011") return AfterSilence();
    return Ended(reply.error().code == "AK0014" ? "malformed" : "error",
                 "the process on the device: " + reply.error().message);
  }
  sim::RunReply out = Ended(StatusOf(reply->end), reply->detail, reply->code);
  if (reply->end == JobEnd::kOk && launch.measure) out.measured = Measure(job, launch, *reply);
  return out;
}

// The profiler's time where it gives one. A device that ran too slowly has none: its events are no better.
record::MeasuredTime Npu::Measure(const Job& job, const NpuLaunch& launch, const JobReply& reply) {
  std::vector<record::LaunchSample> launches;
  for (double us : reply.us) launches.push_back({us});
  record::MeasuredTime events = record::MeasuredOf(launches, *job.timing);
  events.same_outputs = reply.same_outputs;
  if (!options_.profile || toolkit_.profiler.empty()) return events;
  record::MeasuredTime profiled = Profile(job, launch);
  profiled.same_outputs = reply.same_outputs;
  if (profiled.known() || profiled.slow_clock) return profiled;
  events.note = profiled.note + "; the time is that of events";
  return events;
}

record::MeasuredTime Npu::Profile(Job job, const NpuLaunch& launch) {
  record::TimingRule rule = *job.timing;
  rule.source = record::TimeSource::kProfiler, rule.discarded = 0;
  // The profiler warms up by itself, and the first launch of the job is one of those that it sees.
  job.timing->warm_up = job.timing->discarded = 0, job.timing->repeats = rule.repeats - 1;
  job.inputs = PathOf(launch.inputs_fd), job.outputs = PathOf(launch.outputs_fd);
  record::MeasuredTime none;
  none.rule = rule;
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return none.note = folder.error().ToString(), none;
  const fs::path file = folder->path() / "job.json", out = folder->path() / "profile";
  if (auto s = base::WriteFileAtomic(file, base::Dump(ToJson(job))); !s.ok())
    return none.note = s.error().ToString(), none;
  std::vector<std::string> argv = toolkit_.profiler;
  argv.insert(argv.end(),
              {"--output=" + out.string(), std::string("--kernel-name=") + kKernelName,
               "--launch-count=" + std::to_string(rule.repeats), "--warm-up=" + std::to_string(rule.warm_up),
               (base::ExecutableDir() / kProgram).string(), file.string()});
  auto done = base::RunProgram({argv, {}, {"ASCEND_CUSTOM_OPP_PATH="}}, kProfileMs);
  if (!done.ok()) none.note = done.error().ToString();
  else if (done->timed_out) none.note = "the profiler did not end in time";
  else if (done->exit_code != 0) none.note = "the profiler ended with " + std::to_string(done->exit_code);
  return none.note.empty() ? ReadProfile(out, kKernelName, rule) : none;
}

}  // namespace akgen::device
