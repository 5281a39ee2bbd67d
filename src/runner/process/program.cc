// Direct-launch programs: a main() that allocates device memory and launches kernels through acl.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "chip/chip.h"
#include "host/host_entry.h"
#include "runner/process/tables.h"
#include "runner/process/work.h"
#include "sandbox/child.h"
#include "sim/acl/program.h"

namespace akgen::runner {
namespace {
using base::Json;

// Reached from the exit handler, which takes no argument of ours.
struct Running {
  int reply_fd = -1;
  uintptr_t base = 0, end = 0;
  bool done = false;
} g_running;

void Answer(int exit_code) {
  if (g_running.done) return;
  g_running.done = true;
  std::fflush(nullptr);
  sim::ProgramReport r = sim::EndProgram();
  Json findings = Json::array();
  for (const auto& f : r.findings)
    findings.push_back(sim::ToJson(f, g_running.base, g_running.end));
  Json answer{{"status", r.status},   {"detail", r.detail},     {"exit_code", exit_code},
              {"findings", findings}, {"launches", r.launches}, {"vector_ops", r.vector_ops},
              {"copies", r.copies},   {"bytes_in", r.bytes_in}, {"bytes_out", r.bytes_out},
              {"modelled", r.times}};
  sandbox::WriteAll(g_running.reply_fd, base::Dump(answer));
}

void OnExit(int code, void*) { Answer(code); }

int Refuse(int reply_fd, const char* status, const std::string& detail) {
  sandbox::WriteAll(reply_fd, base::Dump(Json{{"status", status}, {"detail", detail}}));
  return 0;
}

sim::ProgramOptions Options(const RunnerRequest& request, const chip::Chip& chip) {
  sim::ProgramOptions o;
  o.chip = sim::ModelOf(chip);
  o.soc_name = chip.soc;
  o.checks = sim::ChecksFromJson(request.checks);
  if (!request.timing.is_null()) o.timing = sim::TimingFromJson(request.timing);
  o.on_print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  return o;
}
}  // namespace

int RunProgram(const Job& job, int reply_fd) {
  auto chip = chip::ChipFromJson(job.request.chip);
  if (!chip.ok()) return Refuse(reply_fd, "error", chip.error().message);
  const std::string& dir = job.request.dir;
  if (!dir.empty() && ::chdir(dir.c_str()) != 0)
    return Refuse(reply_fd, "error", "no such folder: " + dir);
  if (auto s = sandbox::Confine(job.profile); !s.ok())
    return Refuse(reply_fd, "error", s.error().ToString());
  host::SetChip(*chip);
  sim::BeginProgram(Options(job.request, *chip));
  if (!sandbox::WriteAll(reply_fd, kLoading)) return 1;
  LoadedObject object = LoadObject(job.object.get(), job.request.so);
  if (!object.handle)
    return Refuse(reply_fd, "stopped", "the program cannot be loaded: " + object.error);
  sim::SetProgramObject(object.base, object.end - object.base);
  for (const sim::GmRegion& table : TablesOf(Contents(job.object.get()), object.base))
    sim::AddGmRegion(table);
  auto* entry = reinterpret_cast<int (*)(int, char**)>(::dlsym(object.handle, "main"));
  if (!entry) return Refuse(reply_fd, "stopped", "the program has no main()");
  std::vector<std::string> words = job.request.argv;
  if (words.empty()) words.push_back("program");
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  g_running = {reply_fd, object.base, object.end, false};
  ::on_exit(OnExit, nullptr);
  int code = entry(int(words.size()), argv.data());
  Answer(code);
  return code;
}

int RunScript(const Job& job) {
  constexpr int kRefused = 126, kNotStarted = 127;
  const std::string& dir = job.request.dir;
  if (::chdir(dir.c_str()) != 0) return kRefused;
  if (auto s = sandbox::Confine(job.profile); !s.ok()) {
    sandbox::WriteAll(STDERR_FILENO, s.error().ToString());
    return kRefused;
  }
  std::vector<std::string> words = job.request.argv;
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::string home = "HOME=" + dir, path = "PATH=/usr/bin:/bin", one = "OMP_NUM_THREADS=1",
              blas = "OPENBLAS_NUM_THREADS=1";
  char* settings[] = {home.data(), path.data(), one.data(), blas.data(), nullptr};
  ::execve(argv[0], argv.data(), settings);
  sandbox::WriteAll(STDERR_FILENO, job.request.so + " cannot be started: " + std::strerror(errno));
  return kNotStarted;
}

}  // namespace akgen::runner
