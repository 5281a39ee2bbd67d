// TensorTrait: the element type of a tensor without a ShapeInfo, with a position and a layout that
// APIs do not look at.
#ifndef ASCENDC_KERNEL_TENSOR_TRAIT_H
#define ASCENDC_KERNEL_TENSOR_TRAIT_H
#include "kernel/layout.h"
#include "kernel/types.h"

namespace AscendC {
// As large as an element, so that sizes of elements are right for tensors of either kind.
template <typename T, TPosition pos, typename LayoutType>
struct alignas(T) alignas(LayoutType) TensorTrait {
  static_assert(AkgenDtypeOf<T>::value != AKGEN_NO_DTYPE,
                "Ascend C: TensorTrait needs an element type of the device");
  static_assert(is_layout_v<LayoutType>, "Ascend C: TensorTrait needs a Layout");
  using LiteType = T;
  using LiteLayoutType = LayoutType;
  static constexpr const TPosition tPos = pos;
  __aicore__ inline TensorTrait(const LayoutType& t = {}) : layout_(t) {}
  __aicore__ inline LayoutType& GetLayout() { return layout_; }
  __aicore__ inline const LayoutType& GetLayout() const { return layout_; }
  __aicore__ inline void SetLayout(const LayoutType& t) { layout_ = t; }
  __aicore__ inline auto& GetShape() { return layout_.GetShape(); }
  __aicore__ inline const auto& GetShape() const { return layout_.GetShape(); }
  __aicore__ inline auto& GetStride() { return layout_.GetStride(); }
  __aicore__ inline const auto& GetStride() const { return layout_.GetStride(); }

 private:
  LayoutType layout_;
};
template <typename T, TPosition pos, typename LayoutType>
__aicore__ inline constexpr auto MakeTensorTrait(const LayoutType& t) {
  return TensorTrait<T, pos, LayoutType>(t);
}
template <typename T>
struct is_tensorTrait : std::false_type {};
template <typename T, TPosition pos, typename LayoutType>
struct is_tensorTrait<TensorTrait<T, pos, LayoutType>> : std::true_type {};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_TENSOR_TRAIT_H
