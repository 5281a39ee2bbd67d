#include "rms_norm_tiling.h"

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  uint64_t ub = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
  const uint32_t cores = platform.GetCoreNumAiv();
  const uint64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  const uint64_t cols = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
  if (cores == 0 || cols == 0 || total == 0 || total % cols != 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t rows = total / cols;
  const uint64_t rowsPerCore = (rows + cores - 1) / cores;
  // At most: x and y twice, gamma, and three float temporaries, each one padded row; one float per row for rstd.
  const uint64_t padded = (cols + 15) / 16 * 16;
  if (padded * (5 * 4 + 3 * 4) + rowsPerCore * 4 + 256 > ub) {
    return ge::GRAPH_FAILED;
  }

  RmsNormTilingData tiling;
  tiling.set_rows(static_cast<uint32_t>(rows));
  tiling.set_cols(static_cast<uint32_t>(cols));
  tiling.set_rowsPerCore(static_cast<uint32_t>(rowsPerCore));
  tiling.set_epsilon(*context->GetAttrs()->GetAttrPointer<float>(0));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(static_cast<uint32_t>((rows + rowsPerCore - 1) / rowsPerCore));
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class RmsNorm : public OpDef {
 public:
  explicit RmsNorm(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("gamma")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("rstd")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-6);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(RmsNorm);
}  // namespace ops
