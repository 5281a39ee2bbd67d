#ifndef ATTENTION_TILING_H
#define ATTENTION_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AttentionTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, heads);
  TILING_DATA_FIELD_DEF(uint32_t, m);
  TILING_DATA_FIELD_DEF(uint32_t, n);
  TILING_DATA_FIELD_DEF(uint32_t, rows);
  TILING_DATA_FIELD_DEF(uint32_t, keys);
  TILING_DATA_FIELD_DEF(uint32_t, cores);
  TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, scores);
  TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, values);
  TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Attention, AttentionTilingData)
}  // namespace optiling
#endif
