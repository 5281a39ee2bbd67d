#include "base/process.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "base/files.h"

extern char** environ;

namespace akgen::base {

namespace {
constexpr const char* kParent = "AKGEN_PARENT";

// Watches a process by its handle.
void EndWith(int handle) {
  std::thread([handle] {
    pollfd ended{handle, POLLIN, 0};
    while (::poll(&ended, 1, -1) < 0) {}
    ::kill(::getpid(), SIGKILL);
  }).detach();
}
}  // namespace

void EndWithParent() {
  const char* parent = std::getenv(kParent);
  const auto with_parent = [&] { return parent && std::to_string(::getppid()) == parent; };
  if (!with_parent()) return;
  // Not by PR_SET_PDEATHSIG where it can be helped: that comes when the thread ends that started
  // this process, of which others may go on asking.
  const int handle = int(::syscall(SYS_pidfd_open, ::getppid(), 0));
  if (!with_parent()) ::kill(::getpid(), SIGKILL);
  if (handle < 0) {  // Linux before 5.3, or a container that allows no handles of processes
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return;
  }
  EndWith(handle);
}

void EndWithAkgen() {
  const char* akgen = std::getenv(kParent);
  const int pid = akgen ? std::atoi(akgen) : 0;
  if (pid <= 0) return;
  const int handle = int(::syscall(SYS_pidfd_open, pid, 0));
  if (handle >= 0)
    EndWith(handle);
  else if (errno == ESRCH)
    ::kill(::getpid(), SIGKILL);
}

Result<int> Spawn(const SpawnRequest& r) {
  std::vector<std::string> argv = r.argv, settings = r.settings;
  settings.push_back(std::string(kParent) + "=" + std::to_string(::getpid()));
  std::vector<char*> raw, env;
  for (auto& a : argv) raw.push_back(a.data());
  raw.push_back(nullptr);
  for (auto& s : settings)
    env.push_back(s.data());  // ahead of the inherited ones: the first of a name counts
  for (char** e = environ; *e; ++e) env.push_back(*e);
  env.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (auto [from, to] : r.files) posix_spawn_file_actions_adddup2(&actions, from, to);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  const int rc = ::posix_spawnp(&pid, raw[0], &actions, &how, raw.data(), env.data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&actions);
  if (rc != 0)
    return Error{r.code, std::string("cannot start: ") + std::strerror(rc), r.argv[0], r.fix};
  return int(pid);
}

namespace {
// Waits; its exit code, or 128 and the signal.
int Ended(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
}  // namespace

Result<ProgramResult> RunProgram(const std::vector<std::string>& argv) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{"AK0015", std::string("no pipe: ") + std::strerror(errno), argv.at(0), ""};
  Fd ours(ends[0]), theirs(ends[1]);
  auto pid = Spawn({argv, {{theirs.get(), 1}, {theirs.get(), 2}}});
  if (!pid.ok()) return pid.error();
  theirs = Fd();
  ProgramResult result;
  char buffer[4096];
  ssize_t n;
  while ((n = ::read(ours.get(), buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0) result.output.append(buffer, size_t(n));
  result.exit_code = Ended(*pid);
  return result;
}

Result<ProgramResult> RunProgram(const SpawnRequest& request, int wall_ms) {
  constexpr size_t kMaxOutput = 16 << 20;
  constexpr int kLookMs =
      20;  // how often the process itself is looked at: what it started may hold the pipe open
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Error{"AK0015", std::string("no pipe: ") + std::strerror(errno), request.argv.at(0), ""};
  Fd ours(ends[0]), theirs(ends[1]);
  ::fcntl(theirs.get(), F_SETFL, 0);
  SpawnRequest r = request;
  r.files.insert(r.files.end(), {{theirs.get(), 1}, {theirs.get(), 2}});
  auto pid = Spawn(r);
  if (!pid.ok()) return pid.error();
  theirs = Fd();
  ProgramResult result;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wall_ms);
  const auto drain = [&] {
    char buffer[65536];
    for (ssize_t n; (n = ::read(ours.get(), buffer, sizeof buffer)) > 0;)
      result.output.append(
          buffer, std::min(size_t(n), kMaxOutput - std::min(kMaxOutput, result.output.size())));
  };
  siginfo_t ended{};
  for (;;) {
    pollfd some{ours.get(), POLLIN, 0};
    ::poll(&some, 1, kLookMs);
    drain();
    if (some.revents & POLLHUP) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (::waitid(P_PID, id_t(*pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == *pid)
      break;
    if ((result.timed_out = std::chrono::steady_clock::now() > end)) break;
  }
  ::kill(-*pid, SIGKILL);  // its session; it is not reaped yet, so the number is still its own
  result.exit_code = Ended(*pid);
  drain();
  return result;
}

Result<LineProcess> LineProcess::Start(const std::vector<std::string>& argv,
                                       const std::vector<std::string>& settings) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return Error{"AK0015", std::string("no socket pair: ") + std::strerror(errno), argv.at(0), ""};
  Fd ours(pair[0]), theirs(pair[1]);
  auto pid = Spawn({argv, {{theirs.get(), 0}, {theirs.get(), 1}}, settings});
  if (!pid.ok()) return pid.error();
  LineProcess out;
  out.pid_ = *pid;
  out.socket_ = std::move(ours);
  return out;
}

LineProcess::LineProcess(LineProcess&& o) noexcept
    : pid_(std::exchange(o.pid_, -1)), socket_(std::move(o.socket_)), rest_(std::move(o.rest_)) {}

LineProcess::~LineProcess() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  Wait();
}

bool LineProcess::Read(std::string& line) {
  for (;;) {
    if (size_t end = rest_.find('\n'); end != std::string::npos) {
      line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return true;
    }
    char buffer[65536];
    ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    rest_.append(buffer, size_t(n));
  }
}

bool LineProcess::Write(const std::string& line) {
  const std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    ssize_t n = ::send(socket_.get(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += size_t(n);
  }
  return true;
}

int LineProcess::Wait() {
  socket_ = Fd();
  return pid_ > 0 ? Ended(std::exchange(pid_, -1)) : 0;
}

}  // namespace akgen::base
