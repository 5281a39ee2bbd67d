// Tiling structures that library calls share between host and kernel. Field order is the serialised layout.
#ifndef AKGEN_KERNEL_TILING_KERNEL_TILING_H
#define AKGEN_KERNEL_TILING_KERNEL_TILING_H
#include <stdint.h>

#include "akgen/tiling_structs.h"

namespace AscendC {

// How SoftMax and its relatives cut an M x K matrix; sizes in elements.
struct SoftMaxTiling {
  uint32_t srcM = 0, srcK = 0, srcSize = 0;
  uint32_t outMaxM = 0, outMaxK = 0, outMaxSize = 0;
  uint32_t splitM = 0, splitK = 0, splitSize = 0;
  uint32_t reduceM = 0, reduceK = 0, reduceSize = 0;
  uint32_t rangeM = 0, tailM = 0, tailSplitSize = 0, tailReduceSize = 0;
};

using tiling::TCubeTiling;

}  // namespace AscendC

using namespace AscendC::tiling;
using AscendC::SoftMaxTiling;
using AscendC::TCubeTiling;
#endif  // AKGEN_KERNEL_TILING_KERNEL_TILING_H
