// The element generator behind inputs.h: a resolved distribution and its draws.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/dtype.h"

namespace akgen::task {

enum class DistKind {
  kNormal,
  kUniform,
  kInt,
  kBool,
  kValues,
  kConstant,
  kIndex,
  kRanges,
  kAscending,
  kOnto,
  kShuffled,
  kRing,
  kHeavy
};

// A distribution with every number in place.
struct Dist {
  DistKind kind = DistKind::kNormal;
  double a = 0, b = 1;            // mean, std; low, high; p; constant value; index, ranges, ascending, onto: b = high
  int64_t count = -1;             // kBool: exactly this many ones; -1: each with probability a
  int64_t length = 1, inner = 1;  // kAscending, kOnto, kBool with count: elements; kShuffled: a line and its stride
  bool abs = false;
  std::vector<double> values;  // kValues
  std::vector<double> specials;
  double special_fraction = 0;  // 0: one place each
};

// Elements [begin, end) of the stream `key` as float64 into `out`.
void DrawValues(const Dist& dist, uint64_t key, int64_t begin, int64_t end, double* out);
// `count` values rounded once to `dtype` (integers: truncated), written to `out`. complex64 takes them as floats.
void Encode(base::Dtype dtype, const double* values, int64_t count, uint8_t* out);
// The whole tensor: values, then specials. Uses several threads for large tensors; the bytes do not depend on that.
void Fill(const Dist& dist, base::Dtype dtype, uint64_t key, int64_t numel, uint8_t* out);

}  // namespace akgen::task
