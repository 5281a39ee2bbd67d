#include "fast_gelu_tiling.h"

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kGrain = 16;        // elements: at least 32 bytes for every dtype
constexpr uint32_t kCost = 4 * 4 + 12; // bytes of UB per element: in and out twice, three float temporaries

static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  uint64_t ub = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
  const uint32_t cores = platform.GetCoreNumAiv();
  const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  if (total == 0 || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint32_t grains = (total + kGrain - 1) / kGrain;
  const uint32_t perCore = (grains + cores - 1) / cores * kGrain;

  FastGeluTilingData tiling;
  tiling.set_total(total);
  tiling.set_perCore(perCore);
  tiling.set_tile(static_cast<uint32_t>(ub / kCost / kGrain) * kGrain);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 1 : 2);
  context->SetBlockDim((total + perCore - 1) / perCore);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class FastGelu : public OpDef {
 public:
  explicit FastGelu(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(FastGelu);
}  // namespace ops
