#include "batched_matmul_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const gert::Shape &a = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape &b = context->GetInputShape(1)->GetStorageShape();
  const int32_t batch = static_cast<int32_t>(a.GetDim(0)), m = static_cast<int32_t>(a.GetDim(1));
  const int32_t k = static_cast<int32_t>(a.GetDim(2)), n = static_cast<int32_t>(b.GetDim(2));
  const int32_t vectors = static_cast<int32_t>(platform.GetCoreNumAiv());  // shares are for Vector cores, two to a block

  using namespace matmul_tiling;
  MultiCoreMatmulTiling cut(platform);
  cut.SetDim(std::max(1, vectors / batch));  // of one product
  cut.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cut.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cut.SetCType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cut.SetOrgShape(m, n, k);
  cut.SetShape(m, n, k);
  cut.EnableBias(false);
  cut.SetBufferSpace(-1, -1, -1);
  BatchedMatmulTilingData tiling;
  if (cut.GetTiling(tiling.product) == -1) {
    return ge::GRAPH_FAILED;
  }
  const int32_t cores = std::min(vectors, batch * static_cast<int32_t>(tiling.product.get_usedCoreNum()));
  tiling.set_batch(batch);
  tiling.set_cores(cores);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((cores + 1) / 2);
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class BatchedMatmul : public OpDef {
 public:
  explicit BatchedMatmul(const char *name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(BatchedMatmul);
}  // namespace ops
