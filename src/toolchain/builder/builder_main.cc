// akgen-builder: started by akgen with a socket on descriptor 3; compiles what it is sent until the
// socket closes.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/channel.h"
#include "toolchain/builder/server.h"
#include "toolchain/builder_messages.h"

int main() {
  ::signal(SIGPIPE, SIG_IGN);
  // A limit on the size of files is an error like a full disk; the compiler's own children keep the
  // signal.
  ::signal(SIGXFSZ, SIG_IGN);
  // An interrupt at the terminal is for akgen, which then closes the socket.
  ::signal(SIGINT, SIG_IGN);
  // The processor time of a compiler's second process counts also when the first one ends before
  // it.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Deep templates need a deep stack; children inherit it.
  rlimit stack{};
  ::getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = stack.rlim_max == RLIM_INFINITY ? rlim_t(120) << 20
                                                   : std::min<rlim_t>(stack.rlim_max, 120u << 20);
  ::setrlimit(RLIMIT_STACK, &stack);
  akgen::base::Channel channel = akgen::base::ParentChannel();
  akgen::toolchain::Server server(channel.fd());
  for (;;) {
    auto message = channel.Receive();
    if (!message.ok()) break;
    if (akgen::toolchain::AsksFromJson(message->body) == akgen::toolchain::BuilderAsks::kQuit)
      break;
    if (!channel.Send(server.Answer(message->body)).ok()) break;
  }
  return 0;
}
