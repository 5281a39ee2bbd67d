#include "toolchain/builder/share.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <numeric>
#include <thread>

#include "sandbox/child.h"
#include "toolchain/builder/variable_arrays.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
using base::Json;

namespace {
constexpr int kMaxRewrites = 8;

// A template that was used cannot be specialised any more; the precompiled header uses some that
// the kernel may not.
bool ComesTooLate(const CompileOutcome& outcome) {
  return std::any_of(outcome.diagnostics.begin(), outcome.diagnostics.end(), [](const auto& d) {
    return d.severity == "error" && d.message.ends_with(" after instantiation");
  });
}

// One error may hide others behind it.
UnitResult CompileUnit(Compiler& compiler, CompileJob job, const VirtualLinks& links,
                       const std::string& project, VirtualFiles* files) {
  UnitResult one{compiler.Compile(job, *files, links), {}};
  if (job.device_code && !job.pch.empty() && !one.outcome.ok && ComesTooLate(one.outcome)) {
    job.pch.clear(), job.header = {};
    (*files)[job.prelude].insert(0, std::string("#include \"") + kKernelHeader + "\"\n");
    one.outcome = compiler.Compile(job, *files, links);
  }
  for (int again = 0; again < kMaxRewrites && !one.outcome.ok; ++again) {
    const auto set = SetVariableArrays(one.outcome.diagnostics, links, files);
    if (set.empty()) break;
    for (const Rewrite& r : set)
      one.rewrites.push_back({Shorten(r.file, project, ""), r.line, r.what});
    one.outcome = compiler.Compile(job, *files, links);
  }
  return one;
}

// [[number, reply], …]
Json ToJson(const UnitResults& results) {
  Json units = Json::array();
  for (const auto& [i, one] : results) {
    BuildReply said;
    said.ok = one.outcome.ok, said.failure = one.outcome.fault;
    said.diagnostics = one.outcome.diagnostics, said.imports = one.outcome.imports;
    said.rewrites = one.rewrites;
    units.push_back({i, ToJson(said)});
  }
  return units;
}

std::string ReadAll(int fd) {
  std::string text;
  for (char buffer[1 << 16];;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, size_t(n));
  }
}
}  // namespace

std::string ObjectOf(const fs::path& dir, size_t unit) {
  return (dir / (std::to_string(unit) + ".o")).string();
}

Share::Share(const Server::Plan& plan) : order_(plan.sources.size()) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  auto length = [&](size_t unit) {
    auto file = plan.files.find(plan.sources[unit]);
    return file == plan.files.end() ? 0 : file->second.size();
  };
  std::stable_sort(order_.begin(), order_.end(),
                   [&](size_t a, size_t b) { return length(a) > length(b); });
  const size_t sources = order_.size();
  for (size_t i = 0; i < sources && !plan.cube_flags.empty(); ++i)
    order_.push_back(sources + order_[i]);
  int ends[2];
  if (order_.size() < 2 || std::thread::hardware_concurrency() < 2 || ::pipe2(ends, O_CLOEXEC) != 0)
    return;
  base::Fd reads(ends[0]), writes(ends[1]);
  // Goes with the process, which ends with the build.
  void* shared =
      ::mmap(nullptr, sizeof *taken_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  taken_ = new (shared) std::atomic<size_t>(0);
  const pid_t parent = ::getpid();
  second_ = ::fork();
  if (second_ < 0) return;
  found_ = std::move(second_ == 0 ? writes : reads);
  if (second_ == 0 && (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent))
    ::_exit(1);
}

UnitResults Share::Compile(Compiler& compiler, const BuildRequest& request,
                           const Server::Plan& plan, const fs::path& dir) {
  UnitResults out;
  VirtualFiles files = plan.files;
  bool ok = true;
  for (size_t next; (next = taken_->fetch_add(1)) < order_.size();) {
    const size_t i = order_[next];
    const bool cube = i >= plan.sources.size();
    if (cube && !ok) break;
    const Server::Precompiled& pch = cube ? plan.cube_pch : plan.pch;
    CompileJob job{plan.sources[i % plan.sources.size()],
                   kPreludePath,
                   pch.file,
                   pch.header,
                   cube ? plan.cube_flags : plan.flags,
                   plan.search,
                   ObjectOf(dir, i),
                   request.kind == "kernel",
                   request.IsHost(),
                   !request.IsHost() && request.backend != Backend::kGuest,
                   !request.IsHost(),
                   cube && request.kind == "program"};
    const UnitResult& one = out[i] = CompileUnit(compiler, job, plan.links, plan.project, &files);
    ok = ok && one.outcome.ok;
    if (!one.outcome.fault.empty()) break;
  }
  if (second_ == 0) ::_exit(sandbox::WriteAll(found_.get(), base::Dump(ToJson(out))) ? 0 : 1);
  if (second_ > 0) Collect(&out);
  return out;
}

void Share::Collect(UnitResults* results) {
  const Json said = base::Parse(ReadAll(found_.get()));
  int status = 0;
  while (::waitpid(second_, &status, 0) < 0 && errno == EINTR) {}
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  if (WEXITSTATUS(status) != 0) ::_exit(WEXITSTATUS(status));  // LLVM gave up, and has said why
  if (!said.is_array()) {
    (*results)[0].outcome.fault = "the second process of the compiler ended without a result";
    return;
  }
  for (const Json& unit : said) {
    BuildReply r = BuildReplyFromJson(unit.at(1));
    (*results)[unit.at(0).get<size_t>()] = {{r.ok, r.diagnostics, r.imports, r.failure},
                                            r.rewrites};
  }
}

UnitResults Compiled(size_t units, std::vector<BuildDiagnostic> diagnostics,
                     std::vector<Rewrite> rewrites) {
  UnitResults out;
  for (size_t i = 0; i < units; ++i) out[i].outcome.ok = true;
  out[0].outcome.diagnostics = std::move(diagnostics);
  out[0].rewrites = std::move(rewrites);
  return out;
}

std::vector<Rewrite> RewritesOf(const UnitResults& results) {
  std::vector<Rewrite> all;
  for (const auto& [i, one] : results)
    for (const Rewrite& r : one.rewrites)
      if (std::none_of(all.begin(), all.end(), [&](const Rewrite& have) {
            return have.file == r.file && have.line == r.line && have.what == r.what;
          }))
        all.push_back(r);
  return all;
}

}  // namespace akgen::toolchain
