// Runs untrusted work in a forked child with a wall-clock limit, and leaves nothing behind.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::sandbox {

struct ChildLimits {
  int wall_ms = 60000;
  int watch_fd = -1;                // a socket: when its other end closes, the child is killed
  std::vector<int> keep_fds;        // descriptors the child keeps besides its reply pipe
  size_t reply_bytes = 64u << 20;   // a longer reply kills the child
  size_t console_bytes = 1u << 20;  // what it prints beyond this is thrown away
  // Memory that it has touched at once, shared memory among it; more kills it, a few milliseconds
  // later. 0: no limit.
  uint64_t resident_bytes = 0;
};

struct ChildOutcome {
  enum class End { kExited, kSignaled, kTimedOut, kPeerGone, kFlooded, kTooLarge };
  End end = End::kExited;
  int exit_code = 0;
  int signal = 0;
  std::string reply;    // what it wrote to its reply pipe
  std::string console;  // standard output and error, in the order written
  double wall_ms = 0;
  double cpu_ms =
      0;  // its processes' too, but those that it did not wait for only in a PR_SET_CHILD_SUBREAPER
  long max_rss_kib = 0;
};

// Forks; the child calls body(reply_fd) and exits with its value. The child has its own process
// group, dies with this thread, and the whole group is killed before this returns. AK0021: no child
// could be made.
base::Result<ChildOutcome> RunChild(const std::function<int(int reply_fd)>& body,
                                    const ChildLimits& limits);

// Writes all of it; false when the reader is gone.
bool WriteAll(int fd, const std::string& text);

}  // namespace akgen::sandbox
