// Numbers at the edges of a dtype, of which cases of the range group are made.
#pragma once
#include <cstdint>

#include "base/dtype.h"
#include "base/json.h"

namespace akgen::task {

struct Format {
  double largest, smallest, subnormal, step;  // step: from 1 to the next
  int exponent;                               // of the largest
};
Format FormatOf(base::Dtype d);  // of a floating dtype, or of a part of a complex one

// Whole numbers up to 2^53: what the generator draws exactly.
double LargestInteger(base::Dtype d);
double SmallestInteger(base::Dtype d);
// The nearest number that the dtype holds.
int64_t Held(base::Dtype d, int64_t number);

// With infinities and NaN; without NaN; largest and smallest instead, whose products overflow;
// neither, nor zero.
enum class Edge { kSpecial, kInfinite, kLimits, kMild };
// `ordered`: complex numbers are not multiplied, only compared.
base::Json EdgesOf(base::Dtype d, Edge edge, bool nan, bool ordered);

}  // namespace akgen::task
