#ifndef BATCHED_MATMUL_TILING_H
#define BATCHED_MATMUL_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BatchedMatmulTilingData)
  TILING_DATA_FIELD_DEF(int32_t, batch);
  TILING_DATA_FIELD_DEF(int32_t, cores);
  TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, product);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(BatchedMatmul, BatchedMatmulTilingData)
}  // namespace optiling
#endif
