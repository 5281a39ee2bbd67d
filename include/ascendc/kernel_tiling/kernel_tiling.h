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

// How a matrix multiplication is cut. The cube unit is not simulated; the structure only keeps layouts right.
struct TCubeTiling {
  int32_t usedCoreNum = 0, M = 0, N = 0, Ka = 0, Kb = 0;
  int32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0, baseM = 0, baseN = 0, baseK = 0;
  int32_t depthA1 = 0, depthB1 = 0, stepM = 0, stepN = 0, isBias = 0, transLength = 0, iterateOrder = 0;
  int32_t shareMode = 0, shareL1Size = 0, shareL0CSize = 0, shareUbSize = 0;
  int32_t batchM = 0, batchN = 0, singleBatchM = 0, singleBatchN = 0, stepKa = 0, stepKb = 0;
  int32_t depthAL1CacheUB = 0, depthBL1CacheUB = 0, dbL0A = 0, dbL0B = 0, dbL0C = 0;
  int32_t ALayoutInfoB = 0, ALayoutInfoS = 0, ALayoutInfoN = 0, ALayoutInfoG = 0, ALayoutInfoD = 0;
  int32_t BLayoutInfoB = 0, BLayoutInfoS = 0, BLayoutInfoN = 0, BLayoutInfoG = 0, BLayoutInfoD = 0;
  int32_t CLayoutInfoB = 0, CLayoutInfoS1 = 0, CLayoutInfoN = 0, CLayoutInfoG = 0, CLayoutInfoS2 = 0;
  int32_t BatchNum = 0, mxTypePara = 0;
};

}  // namespace AscendC

using namespace AscendC::tiling;
using AscendC::SoftMaxTiling;
using AscendC::TCubeTiling;
#endif  // AKGEN_KERNEL_TILING_KERNEL_TILING_H
