#include "base/channel.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/process.h"

namespace akgen::base {
namespace {
constexpr size_t kMaxFds = 16;
constexpr uint32_t kMaxBody = 256u << 20;
constexpr int kStallMs = 5000,
              kWholeMs = 60000;  // of a message that has begun: between two parts, and in all

Error Gone() { return Error{"AK0010", "the helper process is gone", "", "run `akgen doctor`"}; }

bool WriteAll(int fd, const char* p, size_t n) {
  while (n > 0) {
    ssize_t w = ::send(fd, p, n, MSG_NOSIGNAL);
    if (w < 0 && errno == EINTR) continue;
    if (w <= 0) return false;
    p += w;
    n -= size_t(w);
  }
  return true;
}

// Whether something can be read, or the other end is closed, within `wait_ms` (-1: for ever).
bool Readable(int fd, int wait_ms) {
  pollfd p{fd, POLLIN, 0};
  int ready;
  do ready = ::poll(&p, 1, wait_ms);
  while (ready < 0 && errno == EINTR);
  return ready != 0;
}

// The rest of a message, of which a part is there. `patient`: however long it takes.
class Rest {
 public:
  Rest(int fd, bool patient) : fd_(fd), patient_(patient) {}
  Status Read(char* p, size_t n) {
    while (n > 0) {
      if (!patient_ && (!Readable(fd_, kStallMs) || Clock::now() > end_))
        return Error{"AK0012", "the helper process stopped in the middle of a message", "", ""};
      ssize_t r = ::recv(fd_, p, n, 0);
      if (r < 0 && errno == EINTR) continue;
      if (r <= 0) return Gone();
      p += r;
      n -= size_t(r);
    }
    return {};
  }

 private:
  using Clock = std::chrono::steady_clock;
  int fd_;
  bool patient_;
  Clock::time_point end_ = Clock::now() + std::chrono::milliseconds(kWholeMs);
};
}  // namespace

Status Channel::Send(const Json& body, const std::vector<int>& fds) {
  std::string text = base::Dump(body);
  uint32_t head[2] = {uint32_t(text.size()), uint32_t(fds.size())};
  iovec iov{head, sizeof head};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)] = {};
  msghdr msg{};
  msg.msg_iov = &iov;
  msg.msg_iovlen = 1;
  if (!fds.empty()) {
    msg.msg_control = control;
    msg.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  }
  ssize_t n;
  do n = ::sendmsg(socket_.get(), &msg, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n != ssize_t(sizeof head) || !WriteAll(socket_.get(), text.data(), text.size()))
    return Gone();
  return {};
}

Result<Message> Channel::Receive(int timeout_ms) {
  if (!Readable(socket_.get(), timeout_ms))
    return Error{"AK0011", "the helper process did not answer in time", "", ""};
  Rest rest(socket_.get(), timeout_ms < 0);
  uint32_t head[2];
  iovec iov{head, sizeof head};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)];
  msghdr msg{};
  msg.msg_iov = &iov;
  msg.msg_iovlen = 1;
  msg.msg_control = control;
  msg.msg_controllen = sizeof control;
  ssize_t n;
  do n = ::recvmsg(socket_.get(), &msg, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n <= 0) return Gone();
  Message out;
  for (cmsghdr* c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
    if (c->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      out.fds.emplace_back(fd);
    }
  }
  if (Status s = rest.Read(reinterpret_cast<char*>(head) + n, sizeof head - size_t(n)); !s.ok())
    return s.error();
  if (head[0] > kMaxBody) return Error{"AK0012", "message too long", "", ""};
  std::string text(head[0], '\0');
  if (Status s = rest.Read(text.data(), text.size()); !s.ok()) return s.error();
  out.body = base::Parse(text);
  if (out.body.is_discarded()) return Error{"AK0012", "message is not JSON", "", ""};
  return out;
}

Result<HelperProcess> HelperProcess::Start(const std::string& program,
                                           const std::vector<std::string>& settings) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return Error{"AK0013", std::string("no socket pair: ") + std::strerror(errno), program, ""};
  Fd ours(pair[0]), theirs(pair[1]);
  const std::string path = (ExecutableDir() / program).string();
  auto pid = Spawn(
      {{path}, {{theirs.get(), 3}}, settings, "AK0013", "build and install akgen completely"});
  if (!pid.ok()) return pid.error();
  HelperProcess h;
  h.pid_ = *pid;
  h.channel_ = Channel(std::move(ours));
  return h;
}

HelperProcess::HelperProcess(HelperProcess&& o) noexcept
    : pid_(std::exchange(o.pid_, -1)), channel_(std::move(o.channel_)) {}
HelperProcess& HelperProcess::operator=(HelperProcess&& o) noexcept {
  if (this != &o) {
    Stop();
    pid_ = std::exchange(o.pid_, -1);
    channel_ = std::move(o.channel_);
  }
  return *this;
}
HelperProcess::~HelperProcess() { Stop(); }

void HelperProcess::Stop() {
  if (pid_ <= 0) return;
  channel_ = Channel();
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

int HelperProcess::CrashSignal() {
  constexpr int kTries =
      200;  // its end of the channel is closed a little before it can be waited for
  for (int k = 0; pid_ > 0 && k < kTries; ++k) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        if (signal == fault) return signal;
      return 0;
    }
    ::usleep(5000);
  }
  return 0;
}

Channel ParentChannel() { return Channel(Fd(3)); }

}  // namespace akgen::base
