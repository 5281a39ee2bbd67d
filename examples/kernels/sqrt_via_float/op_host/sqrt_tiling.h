#ifndef SQRT_TILING_H
#define SQRT_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SqrtTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, total);    // elements
  TILING_DATA_FIELD_DEF(uint32_t, perCore);  // elements of a core (the last ones may have fewer)
  TILING_DATA_FIELD_DEF(uint32_t, tile);     // elements moved at a time
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Sqrt, SqrtTilingData)
}  // namespace optiling
#endif
