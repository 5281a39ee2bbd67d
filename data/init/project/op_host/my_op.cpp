// The host side: how the work is divided, and what the operator is.
#include "my_op_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kAlign = 16;       // elements: 32 bytes of half, 64 of float
constexpr uint32_t kBuffers = 3 * 2;  // x, y, z, each twice
constexpr uint32_t kMaxTile = 4096;  // tune: 1024, 2048, 4096, 8192

static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  uint64_t ub = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
  const uint32_t cores = platform.GetCoreNumAiv();
  const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  if (total == 0 || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint32_t perCore = ((total + kAlign - 1) / kAlign + cores - 1) / cores * kAlign;
  const uint32_t fits = static_cast<uint32_t>(ub / kBuffers / sizeof(float)) / kAlign * kAlign;

  MyOpTilingData tiling;
  tiling.set_total(total);
  tiling.set_perCore(perCore);
  tiling.set_tile(std::min({fits, kMaxTile, perCore}));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((total + perCore - 1) / perCore);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class MyOp : public OpDef {
 public:
  explicit MyOp(const char *name) : OpDef(name) {
    for (const char *input : {"x", "y"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
          .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    }
    this->Output("z")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(MyOp);
}  // namespace ops
