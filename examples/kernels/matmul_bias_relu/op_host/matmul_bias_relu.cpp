#include "matmul_bias_relu_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kTile = 128;  // rows and columns of a tile of d, as in the kernel

static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const gert::Shape &a = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape &b = context->GetInputShape(1)->GetStorageShape();
  const uint32_t m = static_cast<uint32_t>(a.GetDim(0)), k = static_cast<uint32_t>(a.GetDim(1));
  const uint32_t n = static_cast<uint32_t>(b.GetDim(1));
  if (m == 0 || n == 0 || k == 0 || k > 65535 || n > 65535) {
    return ge::GRAPH_FAILED;
  }
  const uint32_t tiles = (m + kTile - 1) / kTile * ((n + kTile - 1) / kTile);

  MatmulBiasReluTilingData tiling;
  tiling.set_m(m);
  tiling.set_n(n);
  tiling.set_k(k);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(std::min(tiles, platform.GetCoreNumAic()));
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class MatmulBiasRelu : public OpDef {
 public:
  explicit MatmulBiasRelu(const char *name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("bias").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("d").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(MatmulBiasRelu);
}  // namespace ops
