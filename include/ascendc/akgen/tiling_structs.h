// The plain tiling structs of akgen/tilings.inc, and what else host and kernel name alike: one
// source may include both sides.
#ifndef AKGEN_TILING_STRUCTS_H
#define AKGEN_TILING_STRUCTS_H
#include <stdint.h>

namespace AscendC {
enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
namespace tiling {
#define AKGEN_TILING_BEGIN(name) struct alignas(8) name {
#define AKGEN_TILING(type, field) type field = 0;
#define AKGEN_TILING_END(name) \
  }                            \
  ;
#include "akgen/tilings.inc"
#undef AKGEN_TILING_BEGIN
#undef AKGEN_TILING
#undef AKGEN_TILING_END
}  // namespace tiling
}  // namespace AscendC
#endif  // AKGEN_TILING_STRUCTS_H
