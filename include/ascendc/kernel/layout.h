// Layout: the shape of a tensor with the distances of its elements, in elements; coordinates, and
// the index they lead to.
#ifndef ASCENDC_KERNEL_LAYOUT_H
#define ASCENDC_KERNEL_LAYOUT_H
#include "kernel/std.h"

namespace AscendC {
template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;
template <typename... Coords>
using Coord = Std::tuple<Coords...>;

template <typename... Ts>
__aicore__ inline constexpr Shape<Ts...> MakeShape(const Ts&... t) {
  return {t...};
}
template <typename... Ts>
__aicore__ inline constexpr Stride<Ts...> MakeStride(const Ts&... t) {
  return {t...};
}
template <typename... Ts>
__aicore__ inline constexpr Coord<Ts...> MakeCoord(const Ts&... t) {
  return {t...};
}

namespace akgen_impl {
// Is all of it known to the compiler: an integral constant, or a tuple of them?
template <typename T>
struct IsConstant : std::false_type {};
template <typename T, T v>
struct IsConstant<std::integral_constant<T, v>> : std::true_type {};
template <typename... Ts>
struct IsConstant<std::tuple<Ts...>> : std::bool_constant<(IsConstant<Ts>::value && ...)> {};

template <typename T>
constexpr size_t Product(const T& extent) {
  return static_cast<size_t>(extent);
}
template <typename... Ts>
constexpr size_t Product(const std::tuple<Ts...>& extents) {
  return std::apply([](const auto&... e) { return (Product(e) * ... * size_t(1)); }, extents);
}

template <typename C, typename S, typename D>
constexpr size_t IndexOf(const C& coord, const S& shape, const D& stride);

template <typename C, typename S, typename D, size_t... i>
constexpr size_t SumOfIndices(const C& coord, const S& shape, const D& stride,
                              std::index_sequence<i...>) {
  return (IndexOf(std::get<i>(coord), std::get<i>(shape), std::get<i>(stride)) + ... + size_t(0));
}
// A number in a shape of several dimensions: the first counts fastest, the last takes what is left.
template <size_t i, typename S, typename D>
constexpr size_t IndexOfNumber(size_t coord, const S& shape, const D& stride) {
  if constexpr (i + 1 >= std::tuple_size_v<S>) {
    return IndexOf(coord, std::get<i>(shape), std::get<i>(stride));
  } else {
    const size_t extent = Product(std::get<i>(shape));
    return IndexOf(coord % extent, std::get<i>(shape), std::get<i>(stride)) +
           IndexOfNumber<i + 1>(coord / extent, shape, stride);
  }
}
template <typename C, typename S, typename D>
constexpr size_t IndexOf(const C& coord, const S& shape, const D& stride) {
  if constexpr (Std::is_tuple_v<C>) {
    static_assert(Std::is_tuple_v<S> && Std::is_tuple_v<D>,
                  "Ascend C: Crd2Idx of a coordinate deeper than the shape");
    static_assert(
        std::tuple_size_v<C> == std::tuple_size_v<S> &&
            std::tuple_size_v<C> == std::tuple_size_v<D>,
        "Ascend C: Crd2Idx takes as many coordinates as the shape and the stride have dimensions");
    return SumOfIndices(coord, shape, stride, std::make_index_sequence<std::tuple_size_v<C>>());
  } else if constexpr (Std::is_tuple_v<S>) {
    static_assert(std::tuple_size_v<S> == std::tuple_size_v<D> && std::tuple_size_v<S> != 0,
                  "Ascend C: Crd2Idx takes a stride of as many dimensions as the shape");
    return IndexOfNumber<0>(static_cast<size_t>(coord), shape, stride);
  } else {
    return static_cast<size_t>(coord) * static_cast<size_t>(stride);
  }
}
}  // namespace akgen_impl

// An integral constant where all operands are, else a number.
template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape,
                                         const StrideType& stride) {
  if constexpr (akgen_impl::IsConstant<std::tuple<CoordType, ShapeType, StrideType>>::value)
    return Std::Int<akgen_impl::IndexOf(CoordType(), ShapeType(), StrideType())>();
  else
    return akgen_impl::IndexOf(coord, shape, stride);
}

template <typename ShapeType, typename StrideType>
struct Layout : private Std::tuple<ShapeType, StrideType> {
  static_assert(Std::is_tuple_v<ShapeType> && Std::is_tuple_v<StrideType>,
                "Ascend C: a Layout is made of a Shape and a Stride");
  __aicore__ inline constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
      : Std::tuple<ShapeType, StrideType>(shape, stride) {}
  __aicore__ inline constexpr decltype(auto) layout() { return (*this); }
  __aicore__ inline constexpr decltype(auto) layout() const { return (*this); }
  __aicore__ inline constexpr ShapeType& GetShape() { return std::get<0>(Both()); }
  __aicore__ inline constexpr const ShapeType& GetShape() const { return std::get<0>(Both()); }
  __aicore__ inline constexpr StrideType& GetStride() { return std::get<1>(Both()); }
  __aicore__ inline constexpr const StrideType& GetStride() const { return std::get<1>(Both()); }
  template <typename CoordType>
  __aicore__ inline constexpr auto operator()(const CoordType& coord) const {
    return Crd2Idx(coord, GetShape(), GetStride());
  }

 private:
  constexpr Std::tuple<ShapeType, StrideType>& Both() { return *this; }
  constexpr const Std::tuple<ShapeType, StrideType>& Both() const { return *this; }
};
template <typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
  return Layout<ShapeType, StrideType>(shape, stride);
}
template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
inline constexpr bool is_layout_v = is_layout<T>::value;

template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType& coord,
                                         const Layout<ShapeType, StrideType>& layout) {
  return layout(coord);
}
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_LAYOUT_H
