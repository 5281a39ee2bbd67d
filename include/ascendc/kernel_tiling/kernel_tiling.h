// Tiling structures that library calls share between host and kernel. Field order is the serialised
// layout.
#ifndef AKGEN_KERNEL_TILING_KERNEL_TILING_H
#define AKGEN_KERNEL_TILING_KERNEL_TILING_H
#include <stdint.h>

#include "akgen/tiling_structs.h"

namespace AscendC {

using tiling::SoftMaxTiling;  // how SoftMax and its relatives cut an M x K matrix; sizes in
                              // elements
using tiling::TCubeTiling;

}  // namespace AscendC

using namespace AscendC::tiling;
using AscendC::SoftMaxTiling;
using AscendC::TCubeTiling;
#endif  // AKGEN_KERNEL_TILING_KERNEL_TILING_H
