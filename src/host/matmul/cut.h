// How a matrix product is cut: over cores, then into base blocks that L0 holds, then into what L1
// holds. A pure function of the product; the rules that every answer keeps are those of `Legal`,
// and the answer is our own.
#pragma once
#include <optional>

#include "tiling/matmul_tiling.h"

namespace akgen::host {

using MatmulCut = AscendC::tiling::TCubeTiling;
// Multiples of which blocks are: along M, N and K (in elements), as the loads of L0 have them.
struct CutUnits {
  int32_t m = 16, n = 16, k = 16;
};

int32_t BitsOf(matmul_tiling::DataType type);
CutUnits UnitsOf(const matmul_tiling::AkgenProduct& p);
std::optional<MatmulCut> CutMatmul(const matmul_tiling::AkgenProduct& p);
// Empty, or the rule that the cut breaks.
const char* Legal(const matmul_tiling::AkgenProduct& p, const MatmulCut& t);

}  // namespace akgen::host
