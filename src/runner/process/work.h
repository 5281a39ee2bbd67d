// What a runner's child does for one request, already confined to what the request needs.
#pragma once
#include <string>
#include <vector>

#include "base/files.h"
#include "runner/process/runner_reply.h"
#include "runner/process/runner_request.h"
#include "sandbox/sandbox.h"
#include "sim/launch/run_request.h"

namespace akgen::runner {

struct Job {
  RunnerRequest request;
  base::Fd object;  // the .so, opened read-only
  int inputs = -1, outputs = -1;
  sandbox::Profile profile;
};

struct LoadedObject {
  void* handle = nullptr;
  uintptr_t base = 0, end = 0;
  std::string error;  // why it could not be loaded
};

// The whole object, through its descriptor.
std::string Contents(int fd);
// Loads through the descriptor, so that a confined process needs no path.
LoadedObject LoadObject(int fd, const std::string& path);

// Goes down the reply pipe before the first byte of the object is loaded (JSON skips it). What
// comes after may come from the candidate, and never says "error", which would turn its fault into
// an internal error.
inline constexpr const char* kLoading = "\n";
// Before host code is called once more, with other memory (host_memory.h).
inline constexpr const char* kAgain = "\t";

// Each runs in the child and returns the answer. Confinement happens inside, around the loading.
RunnerReply DescribeOrTile(const Job& job, int reply);
RunnerReply RunEntry(const Job& job, int reply);
// Writes its answer itself, because the program may leave through exit().
int RunProgram(const Job& job, int reply_fd);
// Becomes the interpreter; returns only where it could not, with 126 or 127.
int RunScript(const Job& job);

}  // namespace akgen::runner
