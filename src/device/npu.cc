#include "device/npu.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "base/channel.h"
#include "base/process.h"
#include "device/confine.h"
#include "device/profile.h"
#include "device/translate.h"

namespace akgen::device {
namespace fs = std::filesystem;
namespace {
constexpr const char* kProgram = "akgen-device";
constexpr size_t kMaxFreshInputs = 256u << 20;
constexpr uint64_t kLeastFlush = 256u << 20;
constexpr uint8_t kPoison = 0xff;  // as on the simulated chip

// The number of the device itself: the vendor's runtime counts those that are visible.
std::string PhysicalNumber(int id) {
  std::istringstream numbers(Environment("ASCEND_RT_VISIBLE_DEVICES"));
  std::string number;
  for (int i = 0; i <= id; ++i)
    if (!std::getline(numbers, number, ',') ||
        number.find_first_not_of("0123456789") != std::string::npos || number.empty())
      return std::to_string(id);
  return number;
}

// Another user's file can be locked too. It may be anything but a file.
base::Fd OpenLock(const fs::path& file) {
  constexpr int kHow = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  base::Fd fd(::open(file.c_str(), kHow));
  if (!fd.valid() && errno == ENOENT)
    fd = base::Fd(::open(file.c_str(), kHow | O_CREAT | O_EXCL, 0644));
  if (!fd.valid() && errno == EEXIST) fd = base::Fd(::open(file.c_str(), kHow));
  return fd;
}

// Held while a device is used, by any process of this machine. Not in $TMPDIR, which may be one
// job's own.
base::Result<base::Fd> Lock(int id, int busy_ms) {
  const fs::path file = "/tmp/akgen-npu-" + PhysicalNumber(id) + ".lock";
  base::Fd fd = OpenLock(file);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_ms);
  while (fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > end)
      return base::Error{"AK0621", "the device " + std::to_string(id) + " stays in use",
                         file.string(), "name another device with --npu"};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (fd.valid()) return fd;
  return base::Error{"AK0621", "the lock of the device cannot be opened", file.string(),
                     "remove that file"};
}

sim::RunReply Ended(const char* status, std::string detail, int code = 0) {
  sim::RunReply r;
  r.status = status, r.detail = std::move(detail), r.vendor_code = code;
  return r;
}

std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const size_t begin = text.rfind('\n');
  return text.substr(begin == std::string::npos ? 0 : begin + 1).substr(0, 500);
}

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
  if (auto probed = out.Probe(); !probed.ok()) return probed.error();
  return out;
}

base::Status Npu::Probe() {
  auto lock = Lock(options_.id, options_.busy_ms);
  if (!lock.ok()) return lock.error();
  confined_ = CanConfine();
  const auto probe = [&] { return Do(JobOf(JobKind::kProbe), {lock->get()}, options_.start_ms); };
  const auto good = [](const base::Result<JobReply>& r) { return r.ok() && r->end == JobEnd::kOk; };
  auto reply = probe();
  if (confined_ && !good(reply)) {
    confined_ = false;
    if (auto free = probe(); good(free)) reply = std::move(free);
  }
  if (good(reply)) {
    facts_ = {options_.id, reply->soc, toolkit_.version, toolkit_.driver};
    return {};
  }
  return base::Error{"AK0621",
                     "device " + std::to_string(options_.id) + ": " +
                         (reply.ok() ? reply->detail : reply.error().message),
                     toolkit_.runtime.string(),
                     "akgen doctor --device npu; name another device with --npu"};
}

Job Npu::JobOf(JobKind kind) const {
  Job job;
  job.kind = kind, job.runtime = toolkit_.runtime.string(), job.device = options_.id;
  return job;
}

// What the process leaves running ends with it.
base::Result<JobReply> Npu::Do(const Job& job, const std::vector<int>& fds, int wall_ms) {
  std::vector<std::string> settings = Settings(folder_.path());
  if (confined_) settings.push_back(std::string(kConfineTo) + "=" + folder_.path().string());
  auto process = base::HelperProcess::Start(kProgram, settings);
  if (!process.ok()) return process.error();
  base::Status sent = process->channel().Send(ToJson(job), fds);
  auto reply =
      sent.ok() ? process->channel().Receive(wall_ms) : base::Result<base::Message>(sent.error());
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
  reply.unsupported_api = "that launches it on a device: " + translation.error().message;
  reply.diagnostics.push_back(
      {"error", translation.error().where, 0, 0, translation.error().message, {}});
  return reply;
}

// The process was ended because it did not answer, although the runtime was told to wait no longer.
sim::RunReply Npu::AfterSilence(int lock) {
  auto reset = Do(JobOf(JobKind::kReset), {lock}, options_.start_ms);
  if (reset.ok() && reset->end == JobEnd::kOk)
    return Ended("timeout", "the kernel did not end in time; the device was reset");
  return Ended("error",
               "the device does not answer and cannot be reset: " +
                   (reset.ok() ? reset->detail : reset.error().message),
               reset.ok() ? reset->code : 0);
}

sim::RunReply Npu::Run(const NpuLaunch& launch) {
  const chip::Chip& chip = launch.run.chip;
  if (facts_.soc != chip.soc)
    return Ended("error", "device " + std::to_string(options_.id) + " is an " + facts_.soc +
                              ", and the chip asked for is " + chip.name + ": say --chip");
  auto lock = Lock(options_.id, options_.busy_ms);
  if (!lock.ok()) return Ended("error", lock.error().ToString());
  if (auto poisoned = PoisonOutputs(launch); !poisoned.ok())
    return Ended("error", poisoned.error().ToString());
  Job job = JobOf(JobKind::kRun);
  job.object = launch.object, job.run = launch.run, job.timeout_ms = launch.timeout_ms;
  job.build = fs::path(launch.object).parent_path().filename().string();
  if (launch.measure) {
    job.timing.emplace();
    job.timing_ms = options_.timing_ms;
    job.timing->flush_bytes = std::max(kLeastFlush, 2 * chip.l2_bytes);
    size_t inputs = 0;
    for (const sim::RunRegion& r : launch.run.regions)
      inputs += r.role == sim::Role::kInput ? r.bytes : 0;
    job.timing->fresh_inputs = inputs <= kMaxFreshInputs;
  }
  const int wall_ms =
      options_.start_ms + launch.timeout_ms * (launch.measure ? 2 : 1) + job.timing_ms;
  auto reply = Do(job, {lock->get(), launch.inputs_fd, launch.outputs_fd}, wall_ms);
  if (!reply.ok()) {
    const std::string& code = reply.error().code;
    if (code == "AK0011") return AfterSilence(lock->get());
    // The runtime is not asked how an answer is written: such a one is the candidate's.
    return Ended(code == "AK0014" || code == "AK0012" ? "malformed" : "error",
                 "the process on the device: " + reply.error().message);
  }
  sim::RunReply out = Ended(StatusOf(reply->end), reply->detail, reply->code);
  if (reply->end == JobEnd::kOk && launch.measure) out.measured = Measure(job, launch, *reply);
  return out;
}

// The profiler's time where it gives one. A device that ran too slowly has none: its events are no
// better.
record::MeasuredTime Npu::Measure(const Job& job, const NpuLaunch& launch, const JobReply& reply) {
  std::vector<record::LaunchSample> launches;
  for (double us : reply.us) launches.push_back({us});
  record::MeasuredTime events = record::MeasuredOf(launches, *job.timing);
  if (int(launches.size()) < job.timing->repeats && events.known())
    events.note = fmt::format("{} of {} launches in {} ms", launches.size(), job.timing->repeats,
                              options_.timing_ms);
  events.same_outputs = reply.same_outputs;
  if (!options_.profile || toolkit_.profiler.empty()) return events;
  record::MeasuredTime profiled = Profile(job, launch);
  profiled.same_outputs = reply.same_outputs;
  if (profiled.known() || profiled.slow_clock) return profiled;
  events.note += (events.note.empty() ? "" : "; ") + profiled.note + "; the time is that of events";
  return events;
}

// A job as files, since a profiler hands no descriptors on.
base::Status Npu::WriteJob(Job& job, const NpuLaunch& launch, const fs::path& folder) {
  const auto copy = [&](int fd, std::string& file, const char* name) -> base::Status {
    struct stat st{};
    if (::fstat(fd, &st) != 0) return base::Error{"AK0002", std::strerror(errno), name, ""};
    auto memory = base::SharedMemory::Map(::dup(fd), size_t(st.st_size), false);
    if (!memory.ok()) return memory.error();
    file = (folder / name).string();
    return base::WriteFileAtomic(
        file, {reinterpret_cast<const char*>(memory->data()), size_t(st.st_size)});
  };
  if (auto s = copy(launch.inputs_fd, job.inputs, "inputs"); !s.ok()) return s;
  if (auto s = copy(launch.outputs_fd, job.outputs, "outputs"); !s.ok()) return s;
  return base::WriteFileAtomic(folder / "job.json", base::Dump(ToJson(job)));
}

record::MeasuredTime Npu::Profile(Job job, const NpuLaunch& launch) {
  record::TimingRule rule = *job.timing;
  rule.source = record::TimeSource::kProfiler, rule.discarded = 0;
  // The profiler warms up by itself, and the first launch of the job is one of those that it sees.
  job.timing->warm_up = job.timing->discarded = 0, job.timing->repeats = rule.repeats - 1;
  record::MeasuredTime none;
  none.rule = rule;
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return none.note = folder.error().ToString(), none;
  if (auto s = WriteJob(job, launch, folder->path()); !s.ok())
    return none.note = s.error().ToString(), none;
  const fs::path out = folder->path() / "profile";
  std::vector<std::string> command = toolkit_.profiler;
  command.insert(
      command.end(),
      {"--output=" + out.string(), std::string("--kernel-name=") + kKernelName,
       "--launch-count=" + std::to_string(rule.repeats),
       "--warm-up=" + std::to_string(rule.warm_up), (base::ExecutableDir() / kProgram).string(),
       (folder->path() / "job.json").string()});
  base::SpawnRequest run{
      Confined({folder->path(), {command[0], job.runtime, job.object}, true}, command), {}};
  run.settings = Settings(folder->path());
  auto done = base::RunProgram(run, options_.profile_ms);
  if (!done.ok())
    none.note = done.error().ToString();
  else if (done->timed_out)
    none.note = "the profiler did not end in time";
  else if (done->exit_code != 0)
    none.note = "the profiler ended with " + std::to_string(done->exit_code) + ": " +
                LastLine(done->output);
  return none.note.empty() ? ReadProfile(out, kKernelName, rule) : none;
}

}  // namespace akgen::device
