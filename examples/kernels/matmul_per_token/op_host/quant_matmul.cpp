#include "quant_matmul_tiling.h"

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const gert::Shape &a = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape &b = context->GetInputShape(1)->GetStorageShape();
  const int32_t m = static_cast<int32_t>(a.GetDim(0)), k = static_cast<int32_t>(a.GetDim(1));
  const int32_t n = static_cast<int32_t>(b.GetDim(1));

  using namespace matmul_tiling;
  MultiCoreMatmulTiling cut(platform);
  cut.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));  // shares are for Vector cores, two to a block
  cut.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_INT8);
  cut.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_INT8);
  cut.SetCType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_INT32);
  cut.SetOrgShape(m, n, k);
  cut.SetShape(m, n, k);
  cut.EnableBias(false);
  cut.SetBufferSpace(-1, -1, -1);
  QuantMatmulTilingData tiling;
  if (cut.GetTiling(tiling.product) == -1) {
    return ge::GRAPH_FAILED;
  }
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((tiling.product.get_usedCoreNum() + 1) / 2);
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + static_cast<size_t>(m) * n * sizeof(int32_t);
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class QuantMatmul : public OpDef {
 public:
  explicit QuantMatmul(const char *name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
    this->Input("scale").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("per_token_scale").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("d").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(QuantMatmul);
}  // namespace ops
