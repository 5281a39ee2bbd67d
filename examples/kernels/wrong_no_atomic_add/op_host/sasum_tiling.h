#ifndef SASUM_TILING_H
#define SASUM_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SasumTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, count);    // elements to add up
  TILING_DATA_FIELD_DEF(uint32_t, stride);   // distance of two of them in x, in elements
  TILING_DATA_FIELD_DEF(uint32_t, perCore);  // elements of a core (the last ones may have fewer)
  TILING_DATA_FIELD_DEF(uint32_t, tile);     // elements moved at a time
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Sasum, SasumTilingData)
}  // namespace optiling
#endif
