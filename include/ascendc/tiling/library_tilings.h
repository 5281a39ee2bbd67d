// The tiling structs of akgen/tilings.inc for the host: optiling::X is a tiling class,
// AscendC::tiling::X the plain struct.
#ifndef AKGEN_TILING_LIBRARY_TILINGS_H
#define AKGEN_TILING_LIBRARY_TILINGS_H
#include "akgen/tiling_structs.h"
#include "register/tilingdata_base.h"

namespace optiling {
#define AKGEN_TILING_BEGIN(name) BEGIN_TILING_DATA_DEF(name)
#define AKGEN_TILING(type, field) TILING_DATA_FIELD_DEF(type, field)
#define AKGEN_TILING_END(name) END_TILING_DATA_DEF
#include "akgen/tilings.inc"
#undef AKGEN_TILING_BEGIN
#undef AKGEN_TILING
#undef AKGEN_TILING_END
}  // namespace optiling
#endif
