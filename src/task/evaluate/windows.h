// Places and sizes of windows along up to three dimensions.
#pragma once
#include <array>

#include "task/evaluate/tensor.h"

namespace akgen::task::evaluate {

using Three = std::array<int64_t, 3>;  // what windows run along; fewer dimensions: the first ones
                                       // are of size 1

inline Three ThreeOf(const Shape& shape, size_t first) {
  Three out{1, 1, 1};
  for (size_t d = first; d < shape.size(); ++d) out.at(3 - (shape.size() - d)) = shape[d];
  return out;
}
// One number for each dimension; one for all is taken, too.
inline Three ThreeOf(const Value& v, size_t rank, int64_t otherwise) {
  std::vector<int64_t> said = v.Ints();
  if (said.size() == 1) said.resize(rank, said[0]);
  if (said.size() != rank) throw Unsupported("windows along other dimensions");
  Three out{otherwise, otherwise, otherwise};
  for (size_t d = 0; d < rank; ++d) out.at(3 - rank + d) = said[d];
  return out;
}
inline constexpr double kMaxProducts = 1 << 25;

inline int64_t Count(const Three& t) { return t[0] * t[1] * t[2]; }
inline Three PlaceOf(int64_t i, const Three& of) {
  return {i / (of[1] * of[2]), i / of[2] % of[1], i % of[2]};
}

}  // namespace akgen::task::evaluate
