#include "base/channel.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/process.h"

namespace akgen::base {
namespace {
constexpr size_t kMaxFds = 16;
constexpr uint32_t kMaxBody = 256u << 20;

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

bool ReadAll(int fd, char* p, size_t n) {
  while (n > 0) {
    ssize_t r = ::recv(fd, p, n, 0);
    if (r < 0 && errno == EINTR) continue;
    if (r <= 0) return false;
    p += r;
    n -= size_t(r);
  }
  return true;
}
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
  if (n != ssize_t(sizeof head) || !WriteAll(socket_.get(), text.data(), text.size())) return Gone();
  return {};
}

Result<Message> Channel::Receive(int timeout_ms) {
  pollfd p{socket_.get(), POLLIN, 0};
  int ready;
  do ready = ::poll(&p, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) return Error{"AK0011", "the helper process did not answer in time", "", ""};
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
  if (size_t(n) < sizeof head && !ReadAll(socket_.get(), reinterpret_cast<char*>(head) + n, sizeof head - size_t(n)))
    return Gone();
  if (head[0] > kMaxBody) return Error{"AK0012", "message too long", "", ""};
  std::string text(head[0], '\0');
  if (!ReadAll(socket_.get(), text.data(), text.size())) return Gone();
  out.body = base::Parse(text);
  if (out.body.is_discarded()) return Error{"AK0012", "message is not JSON", "", ""};
  return out;
}

Result<HelperProcess> HelperProcess::Start(const std::string& program, const std::vector<std::string>& settings) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return Error{"AK0013", std::string("no socket pair: ") + std::strerror(errno), program, ""};
  Fd ours(pair[0]), theirs(pair[1]);
  const std::string path = (ExecutableDir() / program).string();
  auto pid = Spawn({{path}, {{theirs.get(), 3}}, settings, "AK0013", "build and install akgen completely"});
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

Channel ParentChannel() { return Channel(Fd(3)); }

}  // namespace akgen::base
