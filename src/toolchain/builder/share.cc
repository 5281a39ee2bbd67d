#include "toolchain/builder/share.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "sandbox/child.h"
#include "toolchain/builder/variable_arrays.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
using base::Json;

namespace {
constexpr int kMostRewrites = 8;

// One error may hide others behind it.
CompileOutcome CompileUnit(Compiler& compiler, const CompileJob& job, const VirtualLinks& links,
                           const std::string& project, VirtualFiles* files, std::vector<Rewrite>* rewrites) {
  CompileOutcome one = compiler.Compile(job, *files, links);
  for (int again = 0; again < kMostRewrites && !one.ok; ++again) {
    const auto set = SetVariableArrays(one.diagnostics, links, files);
    if (set.empty()) break;
    for (const Rewrite& r : set) rewrites->push_back({Shorten(r.file, project, ""), r.line, r.what});
    one = compiler.Compile(job, *files, links);
  }
  return one;
}

// [[number, reply], …] and a reply with the rewrites.
Json ToJson(const UnitResults& results) {
  Json units = Json::array();
  for (const auto& [i, one] : results.units) {
    BuildReply said;
    said.ok = one.ok, said.failure = one.fault, said.diagnostics = one.diagnostics, said.imports = one.imports;
    units.push_back({i, ToJson(said)});
  }
  BuildReply rewrites;
  rewrites.rewrites = results.rewrites;
  return {{"units", units}, {"rewrites", ToJson(rewrites)}};
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

std::string ObjectOf(const fs::path& dir, size_t unit) { return (dir / (std::to_string(unit) + ".o")).string(); }

Share::Share(const Server::Plan& plan) : units_(plan.sources.size() * (plan.cube_flags.empty() ? 1 : 2)) {
  int ends[2];
  if (units_ < 2 || std::thread::hardware_concurrency() < 2 || ::pipe2(ends, O_CLOEXEC) != 0) return;
  base::Fd reads(ends[0]), writes(ends[1]);
  const pid_t parent = ::getpid();
  second_ = ::fork();
  if (second_ < 0) return;
  step_ = 2;
  first_ = second_ == 0 ? 1 : 0;
  found_ = std::move(second_ == 0 ? writes : reads);
  if (second_ == 0 && (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent)) ::_exit(1);
}

UnitResults Share::Compile(Compiler& compiler, const BuildRequest& request, const Server::Plan& plan,
                           const fs::path& dir) {
  UnitResults out;
  VirtualFiles files = plan.files;
  bool ok = true;
  for (size_t i = first_; i < units_; i += step_) {
    const bool cube = i >= plan.sources.size();
    if (cube && !ok) break;
    CompileJob job{plan.sources[i % plan.sources.size()],
                   kPreludePath,
                   cube ? plan.cube_pch : plan.pch,
                   cube ? plan.cube_flags : plan.flags,
                   plan.search,
                   ObjectOf(dir, i),
                   request.kind == "kernel",
                   request.IsHost(),
                   !request.IsHost() && request.backend != Backend::kGuest,
                   !request.IsHost()};
    CompileOutcome& one = out.units[i] = CompileUnit(compiler, job, plan.links, plan.project, &files, &out.rewrites);
    ok = ok && one.ok;
    if (!one.fault.empty()) break;
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
  if (!said.is_object()) {
    results->units[1].fault = "the second process of the compiler ended without a result";
    return;
  }
  for (const Json& unit : said.value("units", Json::array())) {
    BuildReply r = BuildReplyFromJson(unit.at(1));
    results->units[unit.at(0).get<size_t>()] = {r.ok, r.diagnostics, r.imports, r.failure};
  }
  // What both of them include is rewritten in both.
  for (Rewrite& r : BuildReplyFromJson(said.value("rewrites", Json::object())).rewrites)
    if (std::none_of(results->rewrites.begin(), results->rewrites.end(), [&](const Rewrite& have) {
          return have.file == r.file && have.line == r.line && have.what == r.what;
        }))
      results->rewrites.push_back(std::move(r));
}

}  // namespace akgen::toolchain
