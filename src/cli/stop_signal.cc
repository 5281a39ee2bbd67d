#include "cli/stop_signal.h"

#include <signal.h>
#include <unistd.h>

namespace akgen::cli {
namespace {
std::atomic<bool> stop_requested{false};
void RequestStop(int signal) {
  if (stop_requested.exchange(true)) ::_exit(128 + signal);
}
}  // namespace

std::atomic<bool>* CatchStop() {
  ::signal(SIGINT, RequestStop);
  ::signal(SIGTERM, RequestStop);
  return &stop_requested;
}
}  // namespace akgen::cli
