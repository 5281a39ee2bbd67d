// akgen-runner's work: one forked, confined child per request; its end is turned into an answer.
#pragma once
#include <vector>

#include "base/channel.h"
#include "base/json.h"

namespace akgen::runner {

class Server {
 public:
  // `channel_fd` is watched during work: when the client goes away, the running child is killed.
  // `guest_patience`: how many times its wall-clock limit a guest may take (runner/runner_client.h).
  Server(int channel_fd, int guest_patience);
  base::Json Answer(const base::Message& message);

 private:
  int channel_fd_, guest_patience_;
};

}  // namespace akgen::runner
