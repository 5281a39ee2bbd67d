#ifndef MY_OP_TILING_H
#define MY_OP_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MyOpTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, total);    // elements of one tensor
  TILING_DATA_FIELD_DEF(uint32_t, perCore);  // elements of a core (the last one may have fewer)
  TILING_DATA_FIELD_DEF(uint32_t, tile);     // elements moved at a time
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MyOp, MyOpTilingData)
}  // namespace optiling
#endif
