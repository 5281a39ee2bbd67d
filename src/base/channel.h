// Messages between akgen and its helper processes: a JSON value plus file descriptors over a Unix
// socket pair. Wire form: u32 length, u32 number of descriptors (sent with SCM_RIGHTS), then the
// JSON text.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::base {

struct Message {
  Json body;
  std::vector<Fd> fds;
};

class Channel {
 public:
  Channel() = default;
  explicit Channel(Fd socket) : socket_(std::move(socket)) {}
  bool valid() const { return socket_.valid(); }
  int fd() const { return socket_.get(); }
  // At most 16 descriptors. They are duplicated into the receiver; the sender keeps its own.
  Status Send(const Json& body, const std::vector<int>& fds = {});
  // Waits at most timeout_ms (-1: for ever). AK0010 the peer is gone, AK0011 timed out, AK0012
  // malformed, or not whole a minute after its beginning.
  Result<Message> Receive(int timeout_ms = -1);

 private:
  Fd socket_;
};

// A helper process (akgen-builder, akgen-runner, akgen-reference) found beside the running
// executable, started with its channel on descriptor 3. Killed and reaped on destruction.
// `settings` ("NAME=value") go before the environment it inherits.
class HelperProcess {
 public:
  static Result<HelperProcess> Start(const std::string& program,
                                     const std::vector<std::string>& settings = {});
  HelperProcess() = default;
  HelperProcess(HelperProcess&& other) noexcept;
  HelperProcess& operator=(HelperProcess&& other) noexcept;
  ~HelperProcess();
  bool alive() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  Channel& channel() { return channel_; }
  void Stop();
  // Of a process that is gone: the signal of its own fault that ended it (a wild access, a failed
  // assertion), else 0.
  int CrashSignal();

 private:
  pid_t pid_ = -1;
  Channel channel_;
};

// In a helper process: the channel its parent gave it (descriptor 3).
Channel ParentChannel();

}  // namespace akgen::base
