// An operator with every kind of parameter the host side knows, in the style of op_host sources.
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleRowsPart)
TILING_DATA_FIELD_DEF(uint8_t, kind);
TILING_DATA_FIELD_DEF(uint32_t, rows);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRowsPartOp, ScaleRowsPart)

BEGIN_TILING_DATA_DEF(ScaleRowsTilingData)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, steps);
TILING_DATA_FIELD_DEF_STRUCT(ScaleRowsPart, part);
TILING_DATA_FIELD_DEF(float, alpha);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRows, ScaleRowsTilingData)
REGISTER_TILING_DATA_CLASS(ScaleRows_7, ScaleRowsPart)
}  // namespace optiling

#include "graph/utils/type_utils.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {
// Host sources use these words bare, with the namespace of the graph's types open.
[[maybe_unused]] static bool BareNames(ge::graphStatus status) {
  using namespace ge;
  return status != SUCCESS && status != FAILED && status != GRAPH_FAILED;
}

struct ScaleRowsInfo {
  uint32_t cores = 0;
  uint64_t ub = 0;
};

static ge::graphStatus Prepare(gert::TilingParseContext* context) {
  auto* info = context->GetCompiledInfo<ScaleRowsInfo>();
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  info->cores = platform.GetCoreNumAiv();
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ub);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  std::string mode = context->GetAttrs()->GetStr(2);
  if (mode == "fail") return ge::GRAPH_FAILED;
  if (mode == "throw") throw std::runtime_error("no plan for these rows");
  if (mode == "overrun") {
    std::memset(context->GetRawTilingData()->GetData(), 1, context->GetRawTilingData()->GetCapacity() + 8);
    return ge::GRAPH_SUCCESS;
  }
  const auto* info = context->GetCompileInfo<ScaleRowsInfo>();
  const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
  ScaleRowsTilingData plan;
  plan.set_flag(context->GetOptionalInputTensor(2) != nullptr);
  plan.set_total(shape.GetShapeSize());
  uint16_t steps[3] = {1, 2, static_cast<uint16_t>(context->GetInputTensor(1)->GetData<int32_t>()[1])};
  plan.set_steps(steps);
  plan.part.set_kind(static_cast<uint8_t>(context->GetInputDesc(0)->GetDataType()));
  plan.part.set_rows(static_cast<uint32_t>(shape.GetDim(0)));
  plan.set_alpha(*context->GetAttrs()->GetFloat(0));
  if (mode != "no_blocks") context->SetSimdNumBlocks(std::min<uint32_t>(info->cores, shape.GetDim(0)));
  context->SetTilingKey(context->GetAttrs()->GetListInt(1)->GetData()[1]);
  context->GetWorkspaceSizes(1)[0] = info->ub;
  if (mode == "oversize") context->GetRawTilingData()->SetDataSize(1 << 20);
  std::cout << "rows " << shape.GetDim(0) << std::endl;
  if (mode == "oversize") return ge::GRAPH_SUCCESS;
  plan.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(plan.GetDataSize());
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(ScaleRows).Tiling(TilingFunc).TilingParse<ScaleRowsInfo>(Prepare);

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ScaleRows : public OpDef {
 public:
  explicit ScaleRows(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("scale").ParamType(REQUIRED).DataType({ge::DT_INT32, ge::DT_INT32}).ValueDepend(OPTIONAL);
    this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_BOOL, ge::DT_BOOL});
    this->Input("extra").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_FLOAT});
    this->Output("y").ParamType(REQUIRED).Follow("x");
    this->Attr("alpha").AttrType(OPTIONAL).Float(0.5);
    this->Attr("dims").AttrType(REQUIRED).ListInt();
    this->Attr("mode").AttrType(OPTIONAL).String("plain");
    this->SetInferShape(optiling::InferShape);
    OpAICoreConfig config;
    config.Input("mask").ParamType(OPTIONAL).DataType({ge::DT_UINT8, ge::DT_UINT8});
    this->AICore().AddConfig("ascend910b").AddConfig("ascend310p", config);
  }
};
OP_ADD(ScaleRows);
}  // namespace ops
