#ifndef MLA_TILING_H
#define MLA_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
constexpr uint32_t kSequences = 64;

BEGIN_TILING_DATA_DEF(MlaTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, tokens);   // queries of all sequences
  TILING_DATA_FIELD_DEF(uint32_t, groups);   // heads of keys and values
  TILING_DATA_FIELD_DEF(uint32_t, heads);    // of queries, to each of those
  TILING_DATA_FIELD_DEF(uint32_t, columns);  // of a value, and of the first part of a key
  TILING_DATA_FIELD_DEF(uint32_t, rope);     // columns of the second part, which tells positions (rotary embedding)
  TILING_DATA_FIELD_DEF(uint32_t, block);    // keys to a block of the cache
  TILING_DATA_FIELD_DEF(uint32_t, table);    // blocks to a row of the table
  TILING_DATA_FIELD_DEF(uint32_t, rows);     // heads at a time
  TILING_DATA_FIELD_DEF(uint32_t, cores);
  TILING_DATA_FIELD_DEF(float, scale);
  TILING_DATA_FIELD_DEF_ARR(uint32_t, kSequences, until);  // the token behind the last of each sequence
  TILING_DATA_FIELD_DEF_ARR(uint32_t, kSequences, keys);
  TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, first);
  TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, second);
  TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, values);
  TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Mla, MlaTilingData)
}  // namespace optiling
#endif
