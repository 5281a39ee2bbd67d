// A kernel's run: what the runner's sandboxed child does once the kernel object is loaded.
#pragma once
#include <cstdint>
#include <functional>

#include "sim/check/findings.h"
#include "sim/launch/run_messages.h"

namespace akgen::sim {

struct LoadedKernel {
  void* entry = nullptr;        // extern "C" function of pointer parameters only
  uintptr_t base = 0, end = 0;  // address range of the loaded object
  // Code that is not this machine's: how one block runs (with the addresses that ArgumentsIn
  // counts), where it is, and what it calls a place in Global Memory. All empty for a function at
  // `entry`.
  std::function<void(void** arguments)> run;
  std::function<Site()> where;
  std::function<uint64_t(const void*)> address;
  BlockCores cores;  // that a block starts
  // Constants of the object's own: they lie in Global Memory like inputs (`__gm__ const int32_t
  // kOffsets[] = {…}`).
  std::vector<GmRegion> tables = {};
  // Before the same launch is run once more, which may do twice as much as the first. False, or
  // none: there is no room for that within the limits.
  std::function<bool()> again = {};
};
inline constexpr size_t kFewArguments = 32, kMaxKernelArguments = 512;
// Arguments that a kernel is called with, of kMaxKernelArguments where unused ones are null.
inline size_t ArgumentsIn(void* const* arguments) {
  size_t n = kMaxKernelArguments;
  while (n > kFewArguments && !arguments[n - 1]) --n;
  return n;
}

// `in_fd`: read-only memory of the inputs; `out_fd`: that of everything else. The reply's status is
// "error" with "detail" when the request itself is broken.
RunReply RunKernel(const RunRequest& request, int in_fd, int out_fd, const LoadedKernel& kernel);

}  // namespace akgen::sim
