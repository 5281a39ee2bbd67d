// Shapes that are not known yet, as the operator-base library says them: one dimension of -2 where
// the rank is not known, -1 for a dimension.
#ifndef AKGEN_OP_COMMON_OP_HOST_UTIL_SHAPE_UTIL_H
#define AKGEN_OP_COMMON_OP_HOST_UTIL_SHAPE_UTIL_H
#include "exe_graph/runtime/shape.h"

namespace Ops {
namespace Base {
constexpr int64_t kAkgenUnknownRank = -2, kAkgenUnknownDim = -1;

template <typename N, typename A>
bool CheckAxisBounds(const N rank, const A axis) {
  const int64_t n = static_cast<int64_t>(rank), at = static_cast<int64_t>(axis);
  return at >= -n && at < n;
}
inline void SetUnknownRank(gert::Shape& shape) {
  shape.SetDimNum(0);
  shape.AppendDim(kAkgenUnknownRank);
}
inline bool IsUnknownRank(const gert::Shape& shape) {
  return shape.GetDimNum() == 1 && shape.GetDim(0) == kAkgenUnknownRank;
}
inline void SetUnknownShape(int64_t rank, gert::Shape& shape) {
  if (rank < 0) return;
  shape.SetDimNum(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) shape.SetDim(static_cast<size_t>(i), kAkgenUnknownDim);
}
inline bool IsUnknownShape(const gert::Shape& shape) {
  for (size_t i = 0; i < shape.GetDimNum(); ++i)
    if (shape.GetDim(i) == kAkgenUnknownDim) return true;
  return false;
}
}  // namespace Base
}  // namespace Ops
#endif
