#ifndef SPLITK_MATMUL_TILING_H
#define SPLITK_MATMUL_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SplitkMatmulTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, m);
  TILING_DATA_FIELD_DEF(uint32_t, n);
  TILING_DATA_FIELD_DEF(uint32_t, k);
  TILING_DATA_FIELD_DEF(uint32_t, part_length);
  TILING_DATA_FIELD_DEF(uint32_t, parts);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SplitkMatmul, SplitkMatmulTilingData)
}  // namespace optiling
#endif
