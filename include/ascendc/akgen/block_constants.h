// Sizes that kernels and tiling functions name alike; one source may include both sides.
#ifndef AKGEN_BLOCK_CONSTANTS_H
#define AKGEN_BLOCK_CONSTANTS_H
#include <stdint.h>

namespace AscendC {
#ifdef ASCENDC_KERNEL_CONSTANTS_H
constexpr uint16_t ONE_BLK_SIZE = 32;  // bytes of a DataBlock
constexpr int32_t BLOCK_CUBE = 16;     // rows and columns of a fractal
#else
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t BLOCK_CUBE = 16;
#endif
}  // namespace AscendC
#endif  // AKGEN_BLOCK_CONSTANTS_H
