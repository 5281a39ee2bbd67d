// A kernel run as a message: what the runner's sandboxed child does once the kernel object is loaded.
#pragma once
#include <cstdint>
#include <functional>

#include "base/json.h"
#include "sim/check/findings.h"

namespace akgen::sim {

struct LoadedKernel {
  void* entry = nullptr;        // extern "C" function of pointer parameters only
  uintptr_t base = 0, end = 0;  // address range of the loaded object
  // Code that is not this machine's: how one block runs (with kKernelArguments addresses), where it is, and what it
  // calls a place in Global Memory. All empty for a function at `entry`.
  std::function<void(void** arguments)> run;
  std::function<Site()> where;
  std::function<uint64_t(const void*)> address;
};
inline constexpr size_t kKernelArguments = 32;

// Request:
//   "regions": [{"name", "role": "input|output|inout", "offset", "bytes", "capacity"?}]; inputs lie in the read-only
//   memory
//              `in_fd`, the others in the shared memory `out_fd` (outputs are poisoned here before the run)
//   "args":    one per kernel parameter: a region index, null, {"list": [region…], "shapes": [[…]…]} (ListTensorDesc),
//              "workspace" or "tiling"
//   "tiling_hex", "workspace_bytes", "blocks", "tiling_key"
//   "chip":    as chip::ToJson says it
//   "checks":  as ChecksFromJson (sim/check/checks.h) reads them
//   "schedule": seed of a legal order of execution, 0 (default) the eager one
//   "hash":    true: the reply has the "hash" of the bytes of all outputs
//   "sites":   true: the reply's "sites" has [return addresses, innermost first] of every place that issued an
//   instruction "probe":   {"schedules": [seed…], "expect": hash?}: runs once per seed for bytes only, until the bytes
//   of outputs
//              differ from "expect" (absent: from the first run). The reply is {"status": "ok", "probe": {"ran",
//              "differs", "schedule", "hash", "ended"}}: the last seed run, what it gave and how it ended
//   "timing"?: {"parameters" (timing/parameters.h), "span_cores"?, "what_if"?, "scale"?}: asks for modelled time, for
//   the timeline of
//              so many cores, for what changes would gain
// Reply: {"status", "detail", "findings": […with "pcs"…], "run_us", "vector_ops", "copies", "bytes_in", "bytes_out",
//         "print", "arithmetic", "modelled"? (timing/replay.h, and "blocks", "ub_used"; when asked for "spans": [[core,
//         pipe, what, site, begin_us, end_us]…], "scaled": {"factor", "us", "bound_us"}, "what_if": [{"change",
//         "amount", "site", "us"}…] (timing/what_if.h) and "sites": [[pcs]…]), "trace_cut"?}; status "error" with
//         "detail" when the request itself is broken.
base::Json RunKernel(const base::Json& request, int in_fd, int out_fd, const LoadedKernel& kernel);

}  // namespace akgen::sim
