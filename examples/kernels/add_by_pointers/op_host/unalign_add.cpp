#include "unalign_add_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kBlockElements = 16;  // half values in 32 bytes
constexpr uint32_t kBuffers = 3 * 2;     // x, y, z, each twice
constexpr uint32_t kMaxTile = 512;

static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  uint64_t ub = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
  const uint32_t cores = platform.GetCoreNumAiv();
  const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  if (total == 0 || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint32_t blocks = (total + kBlockElements - 1) / kBlockElements;
  const uint32_t perCore = (blocks + cores - 1) / cores * kBlockElements;
  const uint32_t fits = static_cast<uint32_t>(ub / kBuffers / 32) * kBlockElements;

  UnalignAddTilingData tiling;
  tiling.set_total(total);
  tiling.set_perCore(perCore);
  tiling.set_tile(std::min(fits, kMaxTile));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((total + perCore - 1) / perCore);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class UnalignAdd : public OpDef {
 public:
  explicit UnalignAdd(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(UnalignAdd);
}  // namespace ops
