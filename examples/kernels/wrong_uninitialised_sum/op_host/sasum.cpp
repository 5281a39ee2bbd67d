#include "sasum_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kSlot = 32;      // bytes of workspace one core's partial sum takes
constexpr uint32_t kMaxTile = 1024; // elements; a strided element takes a whole 32-byte block of UB

static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const uint32_t cores = platform.GetCoreNumAiv();
  const int64_t count = *context->GetAttrs()->GetAttrPointer<int64_t>(0);
  const int64_t stride = *context->GetAttrs()->GetAttrPointer<int64_t>(1);
  const int64_t length = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  if (cores == 0 || count <= 0 || stride <= 0 || (count - 1) * stride >= length) {
    return ge::GRAPH_FAILED;
  }
  const uint32_t n = static_cast<uint32_t>(count);
  const uint32_t perCore = ((n + cores - 1) / cores + 15) / 16 * 16;

  SasumTilingData tiling;
  tiling.set_count(n);
  tiling.set_stride(static_cast<uint32_t>(stride));
  tiling.set_perCore(perCore);
  tiling.set_tile(std::min(perCore, kMaxTile));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  const uint32_t blocks = (n + perCore - 1) / perCore;
  context->SetBlockDim(blocks);
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + blocks * kSlot;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Sasum : public OpDef {
 public:
  explicit Sasum(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("result")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("n").AttrType(OPTIONAL).Int(0);
    this->Attr("incx").AttrType(OPTIONAL).Int(1);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(Sasum);
}  // namespace ops
