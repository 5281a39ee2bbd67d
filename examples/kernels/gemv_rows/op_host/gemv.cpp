#include "gemv_tiling.h"

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const gert::Shape &a = context->GetInputShape(0)->GetStorageShape();
  const uint32_t m = static_cast<uint32_t>(a.GetDim(0)), n = static_cast<uint32_t>(a.GetDim(1));
  const uint32_t cores = platform.GetCoreNumAiv();
  if (m == 0 || n == 0 || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  // Eight results are 32 bytes: no two cores write into the same block.
  const uint32_t rowsPerCore = ((m + cores - 1) / cores + 7) / 8 * 8;
  GemvTilingData tiling;
  tiling.set_m(m);
  tiling.set_n(n);
  tiling.set_rowsPerCore(rowsPerCore);
  tiling.set_alpha(*context->GetAttrs()->GetAttrPointer<float>(0));
  tiling.set_beta(*context->GetAttrs()->GetAttrPointer<float>(1));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((m + rowsPerCore - 1) / rowsPerCore);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Gemv : public OpDef {
 public:
  explicit Gemv(const char *name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
    this->Attr("beta").AttrType(OPTIONAL).Float(1.0);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(Gemv);
}  // namespace ops
