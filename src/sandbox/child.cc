#include "sandbox/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/files.h"

namespace akgen::sandbox {
namespace {
using Clock = std::chrono::steady_clock;
using End = ChildOutcome::End;

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void CloseAllBut(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  unsigned from = 3;
  auto close_to = [&](unsigned first, unsigned last) {
    if (first > last) return;
    if (::syscall(SYS_close_range, first, last, 0) == 0) return;
    for (unsigned fd = first; fd <= std::min(last, 65535u); ++fd) ::close(int(fd));
  };
  for (int fd : keep) {
    if (fd < int(from)) continue;
    close_to(from, unsigned(fd) - 1);
    from = unsigned(fd) + 1;
  }
  close_to(from, ~0u);
}

// What is thrown ends the child here: above are the parent's frames, and its channel, of which this
// is a copy.
[[noreturn]] void BeChild(const std::function<int(int)>& body, int reply, int console, pid_t parent,
                          const ChildLimits& limits) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(125);
  ::setpgid(0, 0);
  for (int s : {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGSEGV, SIGXCPU, SIGXFSZ})
    ::signal(s, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, 0);
  ::dup2(console, 1);
  ::dup2(console, 2);
  std::vector<int> keep = limits.keep_fds;
  keep.push_back(reply);
  CloseAllBut(std::move(keep));
  ::_exit(body(reply));
}

// Reads what is there; returns false at the end of the stream.
bool Drain(int fd, std::string& into, size_t cap, bool* flooded) {
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    size_t room = cap > into.size() ? cap - into.size() : 0;
    into.append(buffer, std::min(size_t(n), room));
    if (size_t(n) > room && flooded) {
      *flooded = true;
      return false;
    }
  }
}

double CpuMs(const rusage& usage) {
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
         double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

// Bytes that the process has in memory, whoever else shares them.
uint64_t Resident(int statm) {
  char text[128];
  const ssize_t n = ::pread(statm, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* second = std::strchr(text, ' ');
  return second ? std::strtoull(second, nullptr, 10) * uint64_t(::sysconf(_SC_PAGESIZE)) : 0;
}

// Collects the child's words until it ends, the clock runs out or the peer leaves.
End Attend(pid_t pid, int pidfd, int reply, int console, const ChildLimits& limits,
           Clock::time_point start, ChildOutcome& out) {
  bool reply_open = true, console_open = true, flooded = false;
  constexpr int kLookEvery = 20;  // milliseconds
  base::Fd statm;
  if (limits.resident_bytes)
    statm =
        base::Fd(::open(("/proc/" + std::to_string(pid) + "/statm").c_str(), O_RDONLY | O_CLOEXEC));
  for (;;) {
    double left = limits.wall_ms - MsSince(start);
    if (left <= 0) return End::kTimedOut;
    if (statm.valid() && Resident(statm.get()) > limits.resident_bytes) return End::kTooLarge;
    pollfd p[4] = {{reply_open ? reply : -1, POLLIN, 0},
                   {console_open ? console : -1, POLLIN, 0},
                   {pidfd, POLLIN, 0},
                   {limits.watch_fd, POLLRDHUP, 0}};
    int wait = pidfd >= 0 ? int(left) + 1 : std::min(int(left) + 1, 2);
    if (statm.valid()) wait = std::min(wait, kLookEvery);
    if (::poll(p, 4, wait) < 0 && errno != EINTR) return End::kTimedOut;
    if (reply_open && p[0].revents)
      reply_open = Drain(reply, out.reply, limits.reply_bytes, &flooded);
    if (flooded) return End::kFlooded;
    if (console_open && p[1].revents)
      console_open = Drain(console, out.console, limits.console_bytes, nullptr);
    if (p[3].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) return End::kPeerGone;
    siginfo_t info{};
    if (::waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) {
      if (reply_open) Drain(reply, out.reply, limits.reply_bytes, &flooded);
      if (console_open) Drain(console, out.console, limits.console_bytes, nullptr);
      return flooded ? End::kFlooded : End::kExited;
    }
  }
}
}  // namespace

bool WriteAll(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += size_t(n);
  }
  return true;
}

base::Result<ChildOutcome> RunChild(const std::function<int(int)>& body,
                                    const ChildLimits& limits) {
  int reply[2], console[2];
  if (::pipe2(reply, O_CLOEXEC) != 0)
    return base::Error{"AK0021", std::string("no pipe: ") + std::strerror(errno), "",
                       "raise the limit of open files"};
  base::Fd reply_read(reply[0]), reply_write(reply[1]);
  if (::pipe2(console, O_CLOEXEC) != 0)
    return base::Error{"AK0021", std::string("no pipe: ") + std::strerror(errno), "",
                       "raise the limit of open files"};
  base::Fd console_read(console[0]), console_write(console[1]);
  for (int fd : {reply[0], console[0]}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  auto start = Clock::now();
  pid_t parent = ::getpid();
  pid_t pid = ::fork();
  if (pid < 0)
    return base::Error{"AK0021", std::string("cannot fork: ") + std::strerror(errno), "",
                       "raise the process limit"};
  if (pid == 0) BeChild(body, reply[1], console[1], parent, limits);
  ::setpgid(pid, pid);
  reply_write = base::Fd();
  console_write = base::Fd();
  base::Fd pidfd(int(::syscall(SYS_pidfd_open, pid, 0)));
  ChildOutcome out;
  out.end = Attend(pid, pidfd.get(), reply[0], console[0], limits, start, out);
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {}
  out.wall_ms = MsSince(start);
  out.cpu_ms = CpuMs(usage);
  // What it had not waited for itself, where the caller inherits that.
  for (rusage other{};;) {
    if (::wait4(-pid, nullptr, 0, &other) >= 0)
      out.cpu_ms += CpuMs(other);
    else if (errno != EINTR)
      break;
  }
  out.max_rss_kib = usage.ru_maxrss;
  if (out.end == End::kExited && WIFSIGNALED(status)) {
    out.end = End::kSignaled;
    out.signal = WTERMSIG(status);
  } else if (WIFEXITED(status)) {
    out.exit_code = WEXITSTATUS(status);
  }
  return out;
}

}  // namespace akgen::sandbox
