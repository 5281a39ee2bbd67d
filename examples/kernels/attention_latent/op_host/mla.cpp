#include "mla_tiling.h"

#include <algorithm>
#include <cmath>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kRows = 16;                        // heads at a time
constexpr uint32_t kColumns = 512, kKeys = 128;       // at most: they lie in UB as float
constexpr uint32_t kTogether = 16;                    // a fractal is as wide

// One core's product of m x k and k x n; the whole is made of many.
static bool Cut(platform_ascendc::PlatformAscendC &platform, matmul_tiling::DataType type, int32_t m, int32_t n,
                int32_t k, bool transposed, TCubeTiling &to) {
  using namespace matmul_tiling;
  MatmulApiTiling cut(platform);
  cut.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, type);
  cut.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, transposed);
  cut.SetCType(matmul_tiling::TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
  cut.SetOrgShape(m, n, k);
  cut.SetShape(m, n, k);
  cut.EnableBias(false);
  cut.SetBufferSpace(-1, -1, -1);
  return cut.GetTiling(to) != -1;
}

static ge::graphStatus Tiling(gert::TilingContext *context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const gert::Shape &query = context->GetInputShape(0)->GetStorageShape();      // tokens, heads, columns
  const gert::Shape &position = context->GetInputShape(1)->GetStorageShape();   // tokens, heads, rope
  const gert::Shape &cache = context->GetInputShape(2)->GetStorageShape();      // blocks, block, groups, columns
  const gert::Shape &blocks = context->GetInputShape(4)->GetStorageShape();     // sequences, table
  const uint32_t tokens = static_cast<uint32_t>(query.GetDim(0)), heads = static_cast<uint32_t>(query.GetDim(1));
  const uint32_t columns = static_cast<uint32_t>(query.GetDim(2)), rope = static_cast<uint32_t>(position.GetDim(2));
  const uint32_t block = static_cast<uint32_t>(cache.GetDim(1)), groups = static_cast<uint32_t>(cache.GetDim(2));
  const gert::TypedContinuousVector<int64_t> *queries = context->GetAttrs()->GetListInt(0);
  const gert::TypedContinuousVector<int64_t> *keys = context->GetAttrs()->GetListInt(1);
  const size_t sequences = queries->GetSize();
  if (groups == 0 || heads % groups != 0 || columns % 64 != 0 || columns > kColumns || rope % kTogether != 0 ||
      block % kTogether != 0 || block > kKeys || sequences > kSequences || sequences != keys->GetSize()) {
    return ge::GRAPH_FAILED;
  }
  MlaTilingData tiling;
  uint32_t until[kSequences] = {}, lengths[kSequences] = {};
  uint32_t token = 0;
  for (size_t s = 0; s < sequences; ++s) {
    token += static_cast<uint32_t>(queries->GetData()[s]);
    until[s] = token;
    lengths[s] = static_cast<uint32_t>(keys->GetData()[s]);
  }
  const bool half = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
  const matmul_tiling::DataType type = half ? matmul_tiling::DataType::DT_FLOAT16 : matmul_tiling::DataType::DT_BF16;
  if (token != tokens || !Cut(platform, type, kRows, block, columns, true, tiling.first) ||
      !Cut(platform, type, kRows, block, rope, true, tiling.second) ||
      !Cut(platform, type, kRows, columns, block, false, tiling.values)) {
    return ge::GRAPH_FAILED;
  }
  const ge::Shape tile({kRows, block});
  const uint32_t room = AscendC::GetSoftMaxFlashV2MinTmpSize(tile, 4, 4, true, false);
  AscendC::SoftMaxFlashV2TilingFunc(tile, 4, 4, room, tiling.softmax, true, false);
  const uint32_t tiles = tokens * groups * ((heads / groups + kRows - 1) / kRows);
  const uint32_t cores = std::min<uint32_t>(platform.GetCoreNumAiv(), tiles);
  tiling.set_tokens(tokens);
  tiling.set_groups(groups);
  tiling.set_heads(heads / groups);
  tiling.set_columns(columns);
  tiling.set_rope(rope);
  tiling.set_block(block);
  tiling.set_table(static_cast<uint32_t>(blocks.GetDim(1)));
  tiling.set_rows(kRows);
  tiling.set_cores(cores);
  tiling.set_scale(1.0f / std::sqrt(static_cast<float>(columns + rope)));
  tiling.set_until(until);
  tiling.set_keys(lengths);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim((cores + 1) / 2);
  const size_t own = kRows * (block * (2 * sizeof(float) + sizeof(uint16_t)) + columns * sizeof(float));
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + cores * own;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Mla : public OpDef {
 public:
  explicit Mla(const char *name) : OpDef(name) {
    for (const char *input : {"query_nope", "query_rope", "kv_nope_cache", "kv_rope_cache"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT16, ge::DT_BF16})
          .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    }
    this->Input("block_tables")
        .ParamType(REQUIRED)
        .DataType({ge::DT_INT32, ge::DT_INT32})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("out")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("q_seqlen_list").AttrType(REQUIRED).ListInt();
    this->Attr("k_seqlen_list").AttrType(REQUIRED).ListInt();
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(Mla);
}  // namespace ops
