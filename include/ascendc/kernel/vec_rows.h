// What the rows of akgen/vec_ops.inc let a function take: the dtypes of an instruction are written
// down there, once.
#ifndef AKGEN_KERNEL_VEC_ROWS_H
#define AKGEN_KERNEL_VEC_ROWS_H
#include "akgen/abi.h"
#include "kernel/types.h"

#define AKGEN_UNPACK(...) __VA_ARGS__
// The dtypes of a row as the reader sees them.
#define AKGEN_TEXT(...) #__VA_ARGS__

namespace AscendC {
namespace akgen_impl {

struct any;  // of a row: a tensor of bytes, whatever it calls them
template <typename Rule, typename T>
constexpr bool kIsOf = __is_same(Rule, T) || __is_same(Rule, any);

// T: dst and source of that dtype; D(S): dst of D, source of S.
template <typename Rule, typename D, typename S>
struct Meets {
  static constexpr bool value = __is_same(Rule, D) && __is_same(Rule, S);
};
template <typename RuleD, typename RuleS, typename D, typename S>
struct Meets<RuleD(RuleS), D, S> {
  static constexpr bool value = kIsOf<RuleD, D> && kIsOf<RuleS, S>;
};
template <typename D, typename S, typename... Rules>
constexpr bool kMeets = (Meets<Rules, D, S>::value || ...);

// Does the instruction exist for a dst of D and a source of S?
template <uint16_t op, typename D, typename S = D>
constexpr bool kTakes = false;
#define AKGEN_VEC_OP(Name, family, api, types, columns) \
  template <typename D, typename S>                     \
  constexpr bool kTakes<AKGEN_OP_##Name, D, S> = kMeets<PrimT<D>, PrimT<S>, AKGEN_UNPACK types>;
#include "akgen/vec_ops.inc"

}  // namespace akgen_impl
}  // namespace AscendC
#endif  // AKGEN_KERNEL_VEC_ROWS_H
