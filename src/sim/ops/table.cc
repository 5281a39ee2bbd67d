#include "sim/ops/table.h"

#include "akgen/library_tmp.h"
#include "sim/ops/tmp.h"

namespace akgen::sim {
namespace table {
namespace {
// The dtypes as kernels spell them.
struct half;
struct bfloat16_t;
struct int4b_t;
struct any;

constexpr uint32_t kEveryDtype = UINT32_MAX;
template <class T>
inline constexpr uint32_t kBit = 0;
template <>
inline constexpr uint32_t kBit<float> = 1u << AKGEN_F32;
template <>
inline constexpr uint32_t kBit<half> = 1u << AKGEN_F16;
template <>
inline constexpr uint32_t kBit<bfloat16_t> = 1u << AKGEN_BF16;
template <>
inline constexpr uint32_t kBit<int4b_t> = 1u << AKGEN_I4;
template <>
inline constexpr uint32_t kBit<bool> = 1u << AKGEN_BOOL;
template <>
inline constexpr uint32_t kBit<int8_t> = 1u << AKGEN_I8;
template <>
inline constexpr uint32_t kBit<uint8_t> = 1u << AKGEN_U8;
template <>
inline constexpr uint32_t kBit<int16_t> = 1u << AKGEN_I16;
template <>
inline constexpr uint32_t kBit<uint16_t> = 1u << AKGEN_U16;
template <>
inline constexpr uint32_t kBit<int32_t> = 1u << AKGEN_I32;
template <>
inline constexpr uint32_t kBit<uint32_t> = 1u << AKGEN_U32;
template <>
inline constexpr uint32_t kBit<int64_t> = 1u << AKGEN_I64;
template <>
inline constexpr uint32_t kBit<uint64_t> = 1u << AKGEN_U64;
template <>
inline constexpr uint32_t kBit<any> = kEveryDtype;

// T is T(T): dst of T, sources of T.
template <class T>
struct Signature {
  static constexpr uint32_t kDst = kBit<T>, kSrc = kBit<T>;
};
template <class D, class S>
struct Signature<D(S)> {
  static constexpr uint32_t kDst = kBit<D>, kSrc = kBit<S>;
};

// Working space that follows from the elements: rows of the same file say how much.
template <TmpSize (*kSize)(uint32_t, uint32_t, bool)>
int64_t TmpOfElements(const AkgenVec& v, uint64_t count) {
  return kSize(uint32_t(count), BitsOf(v.src_type) / 8, false).max;
}
constexpr TmpFn SizedByElements(uint32_t op) {
  switch (op) {
#define AKGEN_TMP_SIZE(name, ...) \
  case AKGEN_OP_##name: return TmpOfElements<name##Tmp>;
#define AKGEN_TMP_BYTES AKGEN_TMP_SIZE
#define AKGEN_TMP_FACTOR AKGEN_TMP_SIZE
#include "akgen/vec_ops.inc"
    default: return nullptr;
  }
}

template <class... Signatures>
constexpr VecRow Row(uint32_t op, const char* name, Family family, VecColumns columns) {
  VecRow row{columns};
  if (!row.tmp && !row.library)
    row.tmp = SizedByElements(op);  // library functions of many operands say it themselves
  row.name = name;
  row.family = family;
  static_assert(((Signatures::kDst && Signatures::kSrc) && ...));
  for (uint32_t d = 0; d < 32; ++d)
    row.sources[d] = ((Signatures::kDst >> d & 1 ? Signatures::kSrc : 0) | ...);
  if (family == Family::fill) {  // whatever src_type says
    row.src0 = Use::none;
    for (uint32_t& s : row.sources) s = s ? kEveryDtype : 0;
  }
  if (family == Family::map2 || family == Family::acc2 || family == Family::math2)
    row.src1 = Use::source;
  if (columns.library) {
    row.dst = row.src0 = Use::none;
    row.list0 = {10, Listed::operands};
    if (columns.size == Size::form) row.size = Size::list;
  }
  return row;
}

template <class... Ts>
constexpr VecRow RowOfTypes(uint32_t op, const char* name, Family family, VecColumns columns) {
  return Row<Signature<Ts>...>(op, name, family, columns);
}
#define AKGEN_UNPACK(...) __VA_ARGS__
}  // namespace

constexpr VecRow kRows[AKGEN_OP_COUNT_ + 1] = {
#define AKGEN_VEC_OP(name, family, api, types, columns) \
  RowOfTypes<AKGEN_UNPACK types>(AKGEN_OP_##name, #name, Family::family, {AKGEN_UNPACK columns}),
#include "akgen/vec_ops.inc"
    {}};
}  // namespace table

bool VecRow::Takes(const AkgenVec& v) const {
  if (!Takes(v.dst_type, v.src_type)) return false;
  if (src1 == Use::offset || src1 == Use::index) return v.src1_type == AKGEN_U32;
  return src1 != Use::source || family == Family::own || v.src1_type == v.src_type;
}

}  // namespace akgen::sim
