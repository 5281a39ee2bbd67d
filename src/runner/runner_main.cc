// akgen-runner: started by akgen with a socket on descriptor 3; runs what it is sent until the
// socket closes.
#include <csignal>
#include <exception>

#include "base/channel.h"
#include "runner/process/host_memory.h"
#include "runner/process/server.h"
#include "runner/runner_client.h"

#ifdef AKGEN_SANITIZED
// The confined child may not look at its own process: faults go to the chip's handler, leaks are
// not searched at exit.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:detect_leaks=0";
}
#endif

int main(int, char** argv) {
  akgen::runner::FixAddresses(argv);
  ::signal(SIGPIPE, SIG_IGN);
  // An interrupt at the terminal is for akgen, which then closes the socket.
  ::signal(SIGINT, SIG_IGN);
  akgen::base::Channel channel = akgen::base::ParentChannel();
  akgen::runner::Server server(channel.fd());
  for (;;) {
    auto message = channel.Receive();
    if (!message.ok()) break;
    akgen::runner::RunnerReply reply;
    try {
      reply = server.Answer(*message);
    } catch (const std::exception& e) {
      reply = akgen::runner::Problem("error", std::string("malformed request: ") + e.what());
    }
    if (!channel.Send(ToJson(reply)).ok()) break;
  }
  return 0;
}
