#ifndef GEMV_TILING_H
#define GEMV_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GemvTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, m);
  TILING_DATA_FIELD_DEF(uint32_t, n);
  TILING_DATA_FIELD_DEF(uint32_t, rowsPerCore);  // a multiple of eight; the last core may have fewer
  TILING_DATA_FIELD_DEF(float, alpha);
  TILING_DATA_FIELD_DEF(float, beta);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Gemv, GemvTilingData)
}  // namespace optiling
#endif
