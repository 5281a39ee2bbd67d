#include "matmul_gelu_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kTile = 128;  // rows and columns of a tile, as in the kernel
constexpr uint32_t kSlots = 2;   // tiles of a block in the workspace

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

  MatmulGeluTilingData tiling;
  tiling.set_m(m);
  tiling.set_n(n);
  tiling.set_k(k);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  const uint32_t blocks = std::min(tiles, platform.GetCoreNumAic());
  context->SetBlockDim(blocks);
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + size_t(blocks) * kSlots * kTile * kTile * sizeof(float);
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class MatmulGelu : public OpDef {
 public:
  explicit MatmulGelu(const char *name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("d").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(MatmulGelu);
}  // namespace ops
