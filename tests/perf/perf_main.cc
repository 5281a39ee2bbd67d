// Build latency, simulator throughput and verdict latency, measured in one run.
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/files.h"
#include "judge/judge.h"
#include "judge/run/lone.h"
#include "judge/run/simulated_chip.h"
#include "toolchain/project.h"

namespace {
using namespace akgen;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
double MsSince(Clock::time_point t) {
  return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
}

struct Spread {
  double best = 0, median = 0;
};
Spread SpreadOf(std::vector<double> v) {
  if (v.empty()) return {};
  std::sort(v.begin(), v.end());
  return {v.front(), v[v.size() / 2]};
}

// A text that no earlier run has compiled: the cache must not help.
std::string Fresh(const std::string& source, int i) {
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return source + "\n// " + std::to_string(now) + "-" + std::to_string(::getpid()) + "-" +
         std::to_string(i) + "\n";
}

// Wall time, and the processor time of the compilation alone: that holds on a busy machine too.
struct BuildTimes {
  Spread wall, cpu;
};

base::Result<BuildTimes> BuildMs(int rounds) {
  auto builder = toolchain::Builder::Start();
  if (!builder.ok()) return builder.error();
  fs::path file = base::HomeDir() / "tests/perf/add_fp16.cpp";
  auto source = base::ReadFile(file);
  if (!source.ok()) return source.error();
  auto project = toolchain::LoadProject(file, false);
  if (!project.ok()) return project.error();
  std::vector<double> ms, cpu;
  for (int i = 0; i < rounds + 3; ++i) {
    toolchain::BuildRequest r = toolchain::KernelRequest(*project, {.arch = 2201});
    r.sources[0].text = Fresh(*source, i);
    auto start = Clock::now();
    auto reply = builder->Build(r);
    if (!reply.ok()) return reply.error();
    if (!reply->ok || reply->cached)
      return base::Error{"perf", "the benchmark kernel does not build afresh", file.string(), ""};
    if (i >= 3) ms.push_back(MsSince(start)), cpu.push_back(reply->cpu_ms);
  }
  return BuildTimes{SpreadOf(ms), SpreadOf(cpu)};
}

base::Result<Spread> AddNsPerElement(int rounds) {
  auto chip = judge::SimulatedChip::Start();
  if (!chip.ok()) return chip.error();
  fs::path file = base::HomeDir() / "tests/perf/add_fp16.cpp";
  auto source = base::ReadFile(file);
  if (!source.ok()) return source.error();
  auto launch = judge::ParseLaunch(judge::LaunchComment(*source));
  if (!launch.ok()) return launch.error();
  std::vector<double> ns;
  for (int i = 0; i < std::max(3, rounds / 4); ++i) {
    judge::LoneResult r = judge::RunLone(**chip, file.string(), *launch, {});
    if (r.verdict != record::Verdict::kPass)
      return base::Error{"perf", r.reason, file.string(), ""};
    ns.push_back(r.counts.value("run_us", 0.0) * 1e3 / 16777216);
  }
  return SpreadOf(ns);
}

// Times of verdicts with guests, and of the same kernels as machine code: what sealing costs.
struct VerdictTimes {
  std::vector<double> guest, native;
};

// Judges `count` candidates that differ in a comment. With `paired`, each is judged a second time
// as machine code.
base::Result<VerdictTimes> Verdicts(int count, int salt, bool paired) {
  auto judge = judge::Judge::Start();
  if (!judge.ok()) return judge.error();
  auto task = task::LoadTask("UnalignAdd");
  if (!task.ok()) return task.error();
  auto temp = base::TempDir::Create();
  if (!temp.ok()) return temp.error();
  fs::path project = temp->path() / "candidate";
  fs::copy(base::HomeDir() / "examples/kernels/add_double_buffer", project,
           fs::copy_options::recursive);
  fs::path kernel;
  for (const auto& e : fs::directory_iterator(project / "op_kernel"))
    if (e.path().extension() == ".cpp") kernel = e.path();
  auto source = base::ReadFile(kernel);
  if (!source.ok()) return source.error();
  judge::Options o;
  o.cases = {task->cases[0].id};
  o.seed = 1;  // the reference is not what is measured
  VerdictTimes times;
  for (int i = 0; i < (count + 2) * (paired ? 2 : 1); ++i) {
    const bool native = paired && i % 2;
    o.backend = native ? record::Backend::kNative : record::Backend::kGuest;
    if (auto s = base::WriteFileAtomic(kernel, Fresh(*source, i + salt * 100000)); !s.ok())
      return s.error();
    auto start = Clock::now();
    judge::Judgement j = judge->Run(project.string(), *task, o);
    if (j.verdict != record::Verdict::kPass)
      return base::Error{"perf", j.reason, kernel.string(), ""};
    if (i >= (paired ? 4 : 2)) (native ? times.native : times.guest).push_back(MsSince(start));
  }
  return times;
}

// Verdicts per second of `workers` processes that judge side by side.
double VerdictsPerSecond(int workers, int each) {
  std::vector<pid_t> pids;
  auto start = Clock::now();
  for (int w = 0; w < workers; ++w) {
    pid_t pid = ::fork();
    if (pid == 0) ::_exit(Verdicts(each, w + 1, false).ok() ? 0 : 1);
    pids.push_back(pid);
  }
  bool good = true;
  for (pid_t pid : pids) {
    int status = 1;
    ::waitpid(pid, &status, 0);
    good = good && status == 0;
  }
  return good ? workers * (each + 2) / (MsSince(start) / 1e3) : 0;
}

std::string CpuName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

int Fail(const base::Error& e) {
  fmt::print(stderr, "{}\n", e.ToString());
  return 3;
}
}  // namespace

int main(int argc, char** argv) {
  std::string json;
  int rounds = 30;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--json") && i + 1 < argc)
      json = argv[++i];
    else if (!std::strcmp(argv[i], "--rounds") && i + 1 < argc)
      rounds = std::max(4, std::atoi(argv[++i]));
    else {
      fmt::print(
          "usage: tests/perf/run [--json FILE] [--rounds N]\nMeasures build latency, fp16 add over "
          "2^24 elements with "
          "all checks, "
          "and verdicts.\n");
      return std::strcmp(argv[i], "--help") ? 2 : 0;
    }
  }
  auto build = BuildMs(rounds);
  if (!build.ok()) return Fail(build.error());
  auto add = AddNsPerElement(rounds);
  if (!add.ok()) return Fail(add.error());
  auto verdicts = Verdicts(rounds, 0, true);
  if (!verdicts.ok()) return Fail(verdicts.error());
  Spread verdict = SpreadOf(verdicts->guest), native = SpreadOf(verdicts->native);
  int cores = int(std::thread::hardware_concurrency());
  double rate = VerdictsPerSecond(std::min(cores, 2), rounds * 3);
  double load = 0;
  ::getloadavg(&load, 1);
  fmt::print("build one elementwise kernel, warm    best {:7.2f} ms    median {:7.2f} ms\n",
             build->wall.best, build->wall.median);
  fmt::print("  processor time of the compiler      best {:7.2f} ms    median {:7.2f} ms\n",
             build->cpu.best, build->cpu.median);
  fmt::print("fp16 add, 2^24, all checks, 1 thread  best {:7.3f} ns/el median {:7.3f} ns/el\n",
             add->best, add->median);
  fmt::print("new kernel to verdict, one case       best {:7.2f} ms    median {:7.2f} ms\n",
             verdict.best, verdict.median);
  fmt::print("  as machine code, not sealed         best {:7.2f} ms    median {:7.2f} ms\n",
             native.best, native.median);
  fmt::print("verdicts per second, {} processes      {:.1f}    (load average {:.1f}, {})\n",
             std::min(cores, 2), rate, load, CpuName());
  base::Json out{{"build_ms", build->wall.median},
                 {"build_ms_best", build->wall.best},
                 {"build_cpu_ms", build->cpu.median},
                 {"build_cpu_ms_best", build->cpu.best},
                 {"add_fp16_ns_per_elem", add->median},
                 {"add_fp16_ns_per_elem_best", add->best},
                 {"verdict_ms", verdict.median},
                 {"verdict_ms_best", verdict.best},
                 {"native_verdict_ms", native.median},
                 {"native_verdict_ms_best", native.best},
                 {"verdicts_per_s", rate},
                 {"machine", {{"cpu", CpuName()}, {"cores", cores}, {"load", load}}}};
  if (json.empty()) return 0;
  auto s = base::WriteFileAtomic(json, out.dump(2) + "\n");
  return s.ok() ? 0 : Fail(s.error());
}
