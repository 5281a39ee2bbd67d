// akgen-runner's work: one forked, confined child per request; its end is turned into an answer.
#pragma once
#include <vector>

#include "base/channel.h"
#include "runner/process/runner_reply.h"

namespace akgen::runner {

class Server {
 public:
  // `channel_fd` is watched during work: when the client goes away, the running child is killed.
  explicit Server(int channel_fd);
  RunnerReply Answer(const base::Message& message);

 private:
  int channel_fd_;
};

}  // namespace akgen::runner
