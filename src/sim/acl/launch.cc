// Launches of kernels from host programs.
#include "acl/launch.h"

#include <memory>

#include "acl/acl.h"
#include "sim/acl/state.h"
#include "sim/machine/mapping.h"

namespace akgen::sim {
namespace {

constexpr uint32_t kMaxBlocks = 65535;

// What the runtime gives kernels that run on both types of core, for the libraries in them.
uint8_t* SystemWorkspace() {
  constexpr size_t kBytes = size_t{16} << 20;
  static uint8_t* const workspace = [] {
    uint8_t* p = MapGm(kBytes);
    if (p) AddGmRegion({"the system workspace", p, kBytes, Role::kScratch});
    return p;
  }();
  return workspace;
}

void RunKernel(const std::function<void()>& kernel, uint32_t blocks, BlockCores cores) {
  AclState& s = AclState::Get();
  if (s.report.status != "ok") return;  // the device is in error; nothing more starts on it
  LaunchRequest request;
  request.kernel = kernel;
  request.blocks = blocks;
  request.cores = cores;
  request.chip = s.options.chip;
  request.checks = s.options.checks;
  request.own_begin = s.own_begin;
  request.own_bytes = s.own_bytes;
  request.left = &s.left;
  if (cores.mixed()) request.sys_workspace = SystemWorkspace();
  LaunchResult result = Launch(request);
  ProgramReport& total = s.report;
  ++total.launches;
  total.vector_ops += result.vector_ops;
  total.copies += result.copies;
  total.bytes_in += result.bytes_in;
  total.bytes_out += result.bytes_out;
  for (const RawFinding& finding : result.findings) s.findings.Add(finding);
  if (result.status != "ok") {
    total.status = result.status;
    total.detail = result.detail;
  }
  if (s.options.on_print && !result.print_output.empty()) s.options.on_print(result.print_output);
}

}  // namespace
}  // namespace akgen::sim

using namespace akgen::sim;

extern "C" int akgen_launch_cores(void (*run)(void*), void (*drop)(void*), void* body, uint32_t blocks, void* stream,
                                  uint32_t cores) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  std::shared_ptr<void> owned(body, drop);
  if (blocks == 0 || blocks > kMaxBlocks) {
    std::string text = "a launch of " + std::to_string(blocks) + " blocks: the number must be 1 to 65535";
    s.Report(FindingKind::kBadLaunch, text, __builtin_return_address(0));
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, text);
  }
  Stream* queue = s.FindStream(stream);
  if (!queue) {
    std::string text = "a launch on a stream that was not created or is destroyed";
    s.Report(FindingKind::kBadLaunch, text, __builtin_return_address(0));
    return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, text);
  }
  const BlockCores each{cores & 0xffff, cores >> 16};
  s.Submit(queue, "launch " + std::to_string(blocks) + " blocks",
           [run, owned, blocks, each] { RunKernel([run, owned] { run(owned.get()); }, blocks, each); });
  return ACL_SUCCESS;
}
