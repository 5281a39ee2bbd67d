// Launches of kernels from host programs.
#include "acl/launch.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

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

base::Json TimeOf(const LaunchResult& result, const LaunchRequest& request) {
  base::Json time = result.time ? ToJson(*result.time, *request.timing) : base::Json::object();
  time["blocks"] = request.blocks;
  if (result.trace_cut) time["trace_cut"] = true;
  if (!result.unmodelled.empty()) time["unmodelled"] = result.unmodelled;
  return time;
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
  if (s.options.timing && s.report.times.size() < ProgramReport::kMaxTimes)
    request.timing = &*s.options.timing;
  if (cores.mixed()) request.sys_workspace = SystemWorkspace();
  LaunchResult result = Launch(request);
  ProgramReport& total = s.report;
  ++total.launches;
  total.vector_ops += result.vector_ops;
  total.copies += result.copies;
  total.bytes_in += result.bytes_in;
  total.bytes_out += result.bytes_out;
  if (request.timing) total.times.push_back(TimeOf(result, request));
  for (const RawFinding& finding : result.findings) s.findings.Add(finding);
  if (result.status != "ok") {
    total.status = result.status;
    total.detail = result.detail;
  }
  if (s.options.on_print && !result.print_output.empty()) s.options.on_print(result.print_output);
}

struct CubeBody {
  void (*run)(void*) = nullptr;
  bool uses_cube = false;
};
// By what tells a launch from others. Filled while the program is loaded.
std::map<std::pair<std::string, uint32_t>, CubeBody>& CubeBodies() {
  static std::map<std::pair<std::string, uint32_t>, CubeBody> bodies;
  return bodies;
}

// Closures of functions that are not inline are numbered in the order in which they are compiled,
// which two copies of a program need not share.
std::string WithoutNumbers(const char* name) {
  std::string out;
  for (const char* c = name; *c; ++c) {
    out += *c;
    if (*c == '$' && c[1] == '_')
      for (out += *++c; c[1] >= '0' && c[1] <= '9';) ++c;
  }
  return out;
}

// Cube cores run the copy of the kernel that is compiled for them. AK1805 where there is none.
bool Choose(const CubeBody* cube, bool uses_vector, BlockCores* each) {
  if (each->all() == 0)
    *each = cube && cube->uses_cube ? BlockCores{1, uses_vector ? 2u : 0u} : BlockCores{};
  return cube || !each->cube;
}
}  // namespace
}  // namespace akgen::sim

using namespace akgen::sim;

extern "C" bool akgen_cube_body(const char* name, uint32_t site, void (*run)(void*),
                                uint32_t uses) {
  const auto [body, alone] =
      CubeBodies().try_emplace({WithoutNumbers(name), site}, CubeBody{run, uses != 0});
  if (!alone) body->second.run = nullptr;  // two that cannot be told apart
  return true;
}

extern "C" int akgen_launch_cores(void (*run)(void*), void (*drop)(void*), void* body,
                                  uint32_t blocks, void* stream, uint32_t cores, const char* name,
                                  uint32_t site, uint32_t uses) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  std::shared_ptr<void> owned(body, drop);
  if (blocks == 0 || blocks > kMaxBlocks) {
    std::string text =
        "a launch of " + std::to_string(blocks) + " blocks: the number must be 1 to 65535";
    s.Report(FindingKind::kBadLaunch, text, __builtin_return_address(0));
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, text);
  }
  Stream* queue = s.FindStream(stream);
  if (!queue) {
    std::string text = "a launch on a stream that was not created or is destroyed";
    s.Report(FindingKind::kBadLaunch, text, __builtin_return_address(0));
    return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, text);
  }
  const auto found = CubeBodies().find({WithoutNumbers(name), site});
  void (*const cube)(void*) = found == CubeBodies().end() ? nullptr : found->second.run;
  if (cores == kAkgenCoresOfPointer) {
    if (found != CubeBodies().end()) {
      s.report.status = "unsupported";
      s.report.detail =
          "that launches a kernel through a variable in a program with code for Cube cores: name "
          "the kernel";
      return s.Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, s.report.detail);
    }
    cores = 0;
  }
  BlockCores each{cores & 0xffff, cores >> 16};
  if (!Choose(cube ? &found->second : nullptr, uses != 0, &each)) {
    std::string text = "a launch on Cube cores of a kernel that has no program for them";
    s.Report(FindingKind::kBadLaunch, text, __builtin_return_address(0));
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, text);
  }
  auto kernel = [run, cube, owned] { (akgen_core_type() == 1 ? cube : run)(owned.get()); };
  s.Submit(queue, "launch " + std::to_string(blocks) + " blocks",
           [kernel, blocks, each] { RunKernel(kernel, blocks, each); });
  return ACL_SUCCESS;
}

extern "C" aclError aclrtGetHardwareSyncAddr(void** addr) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!addr)
    return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetHardwareSyncAddr: no place for the address");
  *addr = SystemWorkspace();
  return ACL_SUCCESS;
}
