#include "attention_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kRows = 32, kKeys = 128, kColumns = 64;  // of queries at a time, of keys at a time, of a head

// One core's product of m x k and k x n; the whole is made of many.
static bool Cut(platform_ascendc::PlatformAscendC &platform, int32_t m, int32_t n, int32_t k, bool transposed,
                TCubeTiling &to) {
  using namespace matmul_tiling;
  MatmulApiTiling cut(platform);
  cut.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cut.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16, transposed);
  cut.SetCType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
  cut.SetOrgShape(m, n, k);
  cut.SetShape(m, n, k);
  cut.EnableBias(false);
  cut.SetBufferSpace(-1, -1, -1);
  return cut.GetTiling(to) != -1;
}

static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const gert::Shape &q = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape &k = context->GetInputShape(1)->GetStorageShape();
  const uint32_t heads = static_cast<uint32_t>(q.GetDim(0)), m = static_cast<uint32_t>(q.GetDim(1));
  const uint32_t n = static_cast<uint32_t>(k.GetDim(1));
  if (q.GetDim(2) != kColumns || n % kKeys != 0) {
    return ge::GRAPH_FAILED;
  }
  AttentionTilingData tiling;
  if (!Cut(platform, kRows, kKeys, kColumns, true, tiling.scores) ||
      !Cut(platform, kRows, kColumns, kKeys, false, tiling.values)) {
    return ge::GRAPH_FAILED;
  }
  const ge::Shape tile({kRows, kKeys});
  const uint32_t room = AscendC::GetSoftMaxFlashV2MinTmpSize(tile, 4, 4, true, false);
  AscendC::SoftMaxFlashV2TilingFunc(tile, 4, 4, room, tiling.softmax, true, false);
  const uint32_t tiles = heads * ((m + kRows - 1) / kRows);
  const uint32_t cores = std::min<uint32_t>(platform.GetCoreNumAiv(), tiles);
  tiling.set_heads(heads);
  tiling.set_m(m);
  tiling.set_n(n);
  tiling.set_rows(kRows);
  tiling.set_keys(kKeys);
  tiling.set_cores(cores);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((cores + 1) / 2);
  const size_t own = kRows * (kKeys * (sizeof(float) + sizeof(uint16_t)) + kColumns * sizeof(float));
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + cores * own;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Attention : public OpDef {
 public:
  explicit Attention(const char *name) : OpDef(name) {
    this->Input("q").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("k").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("v").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(Attention);
}  // namespace ops
