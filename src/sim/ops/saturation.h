// SetSaturationFlag: what instructions give where a result does not fit its dtype.
//
// FLOAT on: in half and bfloat16 infinities become the largest finite value and NaN becomes 0;
// sums, differences and products of int16 and int32 stay at the ends of their range instead of
// wrapping. CAST off: conversions to integers keep the low bits of the rounded value. The other way
// round is what a kernel starts with.
#pragma once
#include "sim/ops/ops.h"

namespace akgen::sim {

// In place of the body of FindRun, nullptr: the mode changes nothing for this instruction.
RunFn FindTruncatingCast(const AkgenVec& instr);
RunFn FindSaturating(const AkgenVec& instr);
// n elements of half or bfloat16 (other dtypes stay as they are).
void SaturateFloats(void* values, uint32_t n, uint8_t dtype);

}  // namespace akgen::sim
