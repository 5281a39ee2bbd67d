// The element generator behind inputs.h: a resolved distribution and its draws.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
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
  kHeavy,
  kWide,
  kRamp,
  kLevel,
  kLines
};

// A distribution with every number in place.
struct Dist {
  DistKind kind = DistKind::kNormal;
  double
      a = 0,
      b = 1;  // mean, std; low, high; p; constant value; index, ranges, ascending, onto: b = high
  int64_t count = -1;             // kBool: exactly this many ones; -1: each with probability a
  int64_t length = 1, inner = 1;  // kAscending, kOnto, kBool with count: elements; kShuffled,
                                  // kRamp, kLevel, kLines: a line and its stride
  bool abs = false;
  double least =
      -std::numeric_limits<double>::infinity();  // smaller values become this, larger ones `most`
  double most = std::numeric_limits<double>::infinity();
  std::vector<double> values;   // kValues
  int64_t stride = 1;           // kValues: each value so many times in a row
  std::vector<Dist> parts;      // kLines: line i is drawn from part (i + first) modulo their number
  int64_t first = 0;            // kLines
  std::optional<double> spike;  // of a part: this value at one place of the line
  std::vector<double> specials;
  double special_fraction = 0;  // 0: one place each
};

// Elements [begin, end) of the stream `key` as float64 into `out`.
void DrawValues(const Dist& dist, uint64_t key, int64_t begin, int64_t end, double* out);
// `count` values rounded once to `dtype` (integers: truncated), written to `out`. complex64 takes
// them as floats.
void Encode(base::Dtype dtype, const double* values, int64_t count, uint8_t* out);
// The whole tensor: values, then specials. Uses several threads for large tensors; the bytes do not
// depend on that.
void Fill(const Dist& dist, base::Dtype dtype, uint64_t key, int64_t numel, uint8_t* out);

}  // namespace akgen::task
