// AscendC::Std: type traits, tuples, integer sequences, and the functions of two or one scalars.
#ifndef ASCENDC_KERNEL_STD_H
#define ASCENDC_KERNEL_STD_H
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernel/macros.h"

// Some standard header brings them under both names; kernels use either without including one.
namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
}  // namespace std

namespace AscendC {
namespace Std {
#define AKGEN_STD_TRAIT(name) using std::name;
AKGEN_STD_TRAIT(add_const)
AKGEN_STD_TRAIT(add_const_t)
AKGEN_STD_TRAIT(add_cv)
AKGEN_STD_TRAIT(add_cv_t)
AKGEN_STD_TRAIT(add_lvalue_reference)
AKGEN_STD_TRAIT(add_lvalue_reference_t)
AKGEN_STD_TRAIT(add_pointer)
AKGEN_STD_TRAIT(add_pointer_t)
AKGEN_STD_TRAIT(add_rvalue_reference)
AKGEN_STD_TRAIT(add_rvalue_reference_t)
AKGEN_STD_TRAIT(add_volatile)
AKGEN_STD_TRAIT(add_volatile_t)
AKGEN_STD_TRAIT(bool_constant)
AKGEN_STD_TRAIT(conditional)
AKGEN_STD_TRAIT(conditional_t)
AKGEN_STD_TRAIT(decay)
AKGEN_STD_TRAIT(decay_t)
AKGEN_STD_TRAIT(enable_if)
AKGEN_STD_TRAIT(enable_if_t)
AKGEN_STD_TRAIT(false_type)
AKGEN_STD_TRAIT(integral_constant)
AKGEN_STD_TRAIT(is_array)
AKGEN_STD_TRAIT(is_array_v)
AKGEN_STD_TRAIT(is_base_of)
AKGEN_STD_TRAIT(is_base_of_v)
AKGEN_STD_TRAIT(is_const)
AKGEN_STD_TRAIT(is_const_v)
AKGEN_STD_TRAIT(is_convertible)
AKGEN_STD_TRAIT(is_convertible_v)
AKGEN_STD_TRAIT(is_floating_point)
AKGEN_STD_TRAIT(is_floating_point_v)
AKGEN_STD_TRAIT(is_integral)
AKGEN_STD_TRAIT(is_integral_v)
AKGEN_STD_TRAIT(is_pointer)
AKGEN_STD_TRAIT(is_pointer_v)
AKGEN_STD_TRAIT(is_reference)
AKGEN_STD_TRAIT(is_reference_v)
AKGEN_STD_TRAIT(is_same)
AKGEN_STD_TRAIT(is_same_v)
AKGEN_STD_TRAIT(is_void)
AKGEN_STD_TRAIT(is_void_v)
AKGEN_STD_TRAIT(remove_const)
AKGEN_STD_TRAIT(remove_const_t)
AKGEN_STD_TRAIT(remove_cv)
AKGEN_STD_TRAIT(remove_cv_t)
AKGEN_STD_TRAIT(remove_pointer)
AKGEN_STD_TRAIT(remove_pointer_t)
AKGEN_STD_TRAIT(remove_reference)
AKGEN_STD_TRAIT(remove_reference_t)
AKGEN_STD_TRAIT(remove_volatile)
AKGEN_STD_TRAIT(remove_volatile_t)
AKGEN_STD_TRAIT(true_type)
AKGEN_STD_TRAIT(forward)
AKGEN_STD_TRAIT(get)
AKGEN_STD_TRAIT(index_sequence)
AKGEN_STD_TRAIT(integer_sequence)
AKGEN_STD_TRAIT(make_index_sequence)
AKGEN_STD_TRAIT(make_integer_sequence)
AKGEN_STD_TRAIT(make_tuple)
AKGEN_STD_TRAIT(move)
AKGEN_STD_TRAIT(tie)
AKGEN_STD_TRAIT(tuple)
AKGEN_STD_TRAIT(tuple_element)
AKGEN_STD_TRAIT(tuple_element_t)
AKGEN_STD_TRAIT(tuple_size)
AKGEN_STD_TRAIT(tuple_size_v)
#undef AKGEN_STD_TRAIT

template <size_t v>
using Int = integral_constant<size_t, v>;
template <typename T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <typename...>
inline constexpr bool always_false_v = false;
template <typename>
struct is_tuple : std::false_type {};
template <typename... Ts>
struct is_tuple<std::tuple<Ts...>> : std::true_type {};
template <typename T>
inline constexpr bool is_tuple_v = is_tuple<T>::value;

// Both have one type.
template <typename T, typename U>
__aicore__ inline constexpr auto min(const T& src0, const U& src1) {
  static_assert(std::is_same<T, U>::value, "Ascend C: Std::min compares values of one type");
  return src0 < src1 ? src0 : src1;
}
template <typename T, typename U>
__aicore__ inline constexpr auto max(const T& src0, const U& src1) {
  static_assert(std::is_same<T, U>::value, "Ascend C: Std::max compares values of one type");
  return src0 > src1 ? src0 : src1;
}
template <typename T>
__aicore__ inline T sqrt(const T src) {
  return static_cast<T>(__builtin_elementwise_sqrt(static_cast<float>(src)));
}
template <typename T>
__aicore__ inline T abs(const T src) {
  return src < static_cast<T>(0) ? static_cast<T>(-src) : src;
}
}  // namespace Std
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_STD_H
