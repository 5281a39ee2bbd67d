// One call of an operator: what the contexts of include/ascendc/exe_graph read and write.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "exe_graph/runtime/tiling_context.h"
#include "platform/platform_info.h"

namespace akgen {

// The numbers of the chip a launch runs on. Sizes in bytes; defaults are Ascend910B1.
struct HostSoc {
  std::string name = "Ascend910B1";
  std::string short_name = "Ascend910B";
  uint32_t core_aic = 24, core_aiv = 48;
  uint64_t ub = 196608, l1 = 524288, l0a = 65536, l0b = 65536, l0c = 131072, bt = 1024, fb = 2048;
  uint64_t l2 = 201326592, hbm = 68719476736;
  uint32_t arch = 2201;
  uint64_t lib_workspace = 16u << 20;  // what library calls keep at the start of the workspace
};
// The chip of this process (set by Tile).
HostSoc& CurrentSoc();

struct HostTensor {
  gert::Tensor tensor;
  gert::CompileTimeTensorDesc desc;
  std::string data;  // values known on the host
};

struct HostNode {
  explicit HostNode(const HostSoc& soc);
  std::string type, name;
  std::vector<gert::AnchorInstanceInfo> ir_inputs, ir_outputs;
  std::deque<HostTensor> inputs, outputs;  // instances
  std::vector<std::vector<uint64_t>> attr_storage;
  gert::RuntimeAttrs attrs{this};
  gert::ComputeNodeInfo info{this};
  fe::PlatFormInfos platform;
  void* compile_info = nullptr;
  int32_t deterministic = 0;

  std::vector<uint8_t> tiling_storage;
  gert::TilingData tiling{nullptr, 0};
  uint64_t tiling_key = 0;
  uint32_t block_dim = 0, aicpu_block_dim = 0, schedule_mode = 0, local_memory = 0;
  int32_t tiling_condition = 0;
  bool atomic = false;
  std::vector<size_t> workspaces;
  size_t workspace_count = 0;

  // True when bytes behind the tiling buffer were changed.
  bool TilingOverrun() const;
  static constexpr size_t kTilingCapacity = 16384, kGuard = 4096, kMaxWorkspaces = 16;
};

// The log of the current call.
std::string& HostLog();

}  // namespace akgen
