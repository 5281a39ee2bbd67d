#include "cli/stop_signal.h"

#include <signal.h>

namespace akgen::cli {
namespace {
std::atomic<bool> stop_requested{false};
void RequestStop(int) { stop_requested = true; }
}  // namespace

std::atomic<bool>* CatchStop() {
  ::signal(SIGINT, RequestStop);
  ::signal(SIGTERM, RequestStop);
  return &stop_requested;
}
}  // namespace akgen::cli
