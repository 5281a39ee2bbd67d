#ifndef QUANT_MATMUL_TILING_H
#define QUANT_MATMUL_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(QuantMatmulTilingData)
  TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, product);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(QuantMatmul, QuantMatmulTilingData)
}  // namespace optiling
#endif
