// One call of an operator: what the contexts of include/ascendc/exe_graph read and write.
#pragma once
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "chip/chip.h"
#include "exe_graph/runtime/tiling_context.h"
#include "platform/platform_info.h"

namespace akgen {

// The chip of this process (set by SetChip and Tile).
chip::Chip& CurrentChip();

struct HostTensor {
  gert::Tensor tensor;
  gert::CompileTimeTensorDesc desc;
  std::string data;  // values known on the host
};

struct HostNode {
  explicit HostNode(const chip::Chip& chip);
  std::string type, name;
  std::vector<gert::AnchorInstanceInfo> ir_inputs, ir_outputs;
  std::deque<HostTensor> inputs, outputs;  // instances
  std::vector<std::vector<uint64_t>> attr_storage;
  gert::RuntimeAttrs attrs{this};
  gert::ComputeNodeInfo info{this};
  fe::PlatFormInfos platform;
  void* compile_info = nullptr;
  int32_t deterministic = 0;

  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t[], Free> tiling_storage;  // pages that nobody writes cost nothing
  gert::TilingData tiling{nullptr, 0};
  uint64_t tiling_key = 0;
  uint32_t block_dim = 0, aicpu_block_dim = 0, schedule_mode = 0, local_memory = 0;
  int32_t tiling_condition = 0;
  bool atomic = false;
  std::vector<size_t> workspaces;
  size_t workspace_count = 0;

  // True when bytes behind the tiling buffer were changed.
  bool TilingOverrun() const;
  // opbase's aclnn engine (op_ctx_def.h) gives the tiling function 800 KiB.
  static constexpr size_t kTilingCapacity = size_t{800} << 10, kGuard = 4096, kMaxWorkspaces = 16;
};

// The log of the current call.
std::string& HostLog();

}  // namespace akgen
