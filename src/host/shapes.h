#pragma once
#include <type_traits>

#include "tiling/tiling_api.h"

// What the tilings of library functions ask of shapes, and how their plain structs are filled.
namespace AscendC {

inline uint32_t Dim(const TensorShape& shape, size_t i) {
  return i < shape.GetDimNum() ? static_cast<uint32_t>(shape.GetDim(i)) : 0;
}
inline uint32_t Elements(const TensorShape& shape) {
  return shape.GetShapeSize() > 0 ? static_cast<uint32_t>(shape.GetShapeSize()) : 0;
}
// Through the class, whose bytes they are.
template <class Class, class Plain>
void Copy(const Class& from, Plain& to) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  from.SaveToBuffer(&to, sizeof to);
}

}  // namespace AscendC
