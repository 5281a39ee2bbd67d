// Template arguments out of tiling keys: ASCENDC_TPL_ARGS_DECL declares a kernel's template
// parameters, in order, and ASCENDC_TPL_SEL the combinations that are compiled. A key holds each
// argument in the bits of its parameter, the first one lowest: of a UINT parameter the place of the
// value in its declaration, of others the value itself. Host code makes keys of arguments
// (GET_TPL_TILING_KEY); a kernel is compiled for one key, AKGEN_TPL_KEY, and takes it apart again.
#ifndef AKGEN_TILING_TEMPLATE_H
#define AKGEN_TILING_TEMPLATE_H
#include <stddef.h>
#include <stdint.h>

#include <initializer_list>

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_3_BW 3
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_5_BW 5
#define ASCENDC_TPL_6_BW 6
#define ASCENDC_TPL_7_BW 7
#define ASCENDC_TPL_8_BW 8

#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 2
#define ASCENDC_TPL_MIX_AIC_1_0 3
#define ASCENDC_TPL_MIX_AIC_1_1 4
#define ASCENDC_TPL_MIX_AIC_1_2 5
#define ASCENDC_TPL_AICORE 6
#define ASCENDC_TPL_VECTORCORE 7
#define ASCENDC_TPL_MIX_AICORE 8
#define ASCENDC_TPL_MIX_VECTOR_CORE 9

// Of an input or output the dtype or format: declares no value of its own.
#define ASCENDC_TPL_INPUT(index) (0x100000u + (index))
#define ASCENDC_TPL_OUTPUT(index) (0x200000u + (index))

#define C_DT_FLOAT 0
#define C_DT_FLOAT16 1
#define C_DT_INT8 2
#define C_DT_INT32 3
#define C_DT_UINT8 4
#define C_DT_INT16 6
#define C_DT_UINT16 7
#define C_DT_UINT32 8
#define C_DT_INT64 9
#define C_DT_UINT64 10
#define C_DT_DOUBLE 11
#define C_DT_BOOL 12
#define C_DT_COMPLEX64 16
#define C_DT_BF16 27
#define C_DT_INT4 29
#define C_DT_UINT1 30
#define C_DT_INT2 31
#define C_DT_COMPLEX32 33
#define C_DT_HIFLOAT8 34
#define C_DT_FLOAT8_E5M2 35
#define C_DT_FLOAT8_E4M3FN 36
#define C_DT_FLOAT4_E2M1 40
#define C_DT_FLOAT4_E1M2 41

#define C_FORMAT_NCHW 0
#define C_FORMAT_NHWC 1
#define C_FORMAT_ND 2
#define C_FORMAT_NC1HWC0 3
#define C_FORMAT_FRACTAL_Z 4
#define C_FORMAT_HWCN 16
#define C_FORMAT_NDHWC 27
#define C_FORMAT_FRACTAL_NZ 29
#define C_FORMAT_NCDHW 30
#define C_FORMAT_DHWCN 31
#define C_FORMAT_NDC1HWC0 32
#define C_FORMAT_FRACTAL_Z_3D 33
#define C_FORMAT_NCL 47

enum class AkgenTplKind : uint8_t { kDtype, kFormat, kUint, kBool, kType, kNone, kKernelType };

struct AkgenTplParam {
  static constexpr size_t kLimit = 96;
  AkgenTplKind kind = AkgenTplKind::kNone;
  unsigned bits = 0;
  size_t count = 0;  // of the values, as they are declared; past kLimit they are not kept
  uint64_t values[kLimit] = {};
};

constexpr AkgenTplParam AkgenTplMake(AkgenTplKind kind, unsigned bits,
                                     std::initializer_list<uint64_t> values) {
  AkgenTplParam p{kind, bits, 0, {}};
  if (kind != AkgenTplKind::kUint) {
    for (uint64_t v : values)
      if (p.count < AkgenTplParam::kLimit) p.values[p.count++] = v;
    return p;
  }
  // Mode; number of ranges and their ends, unless it is a list; single values, unless it is ranges.
  const uint64_t* v = values.begin();
  const uint64_t* const end = values.end();
  const uint64_t mode = v == end ? uint64_t{ASCENDC_TPL_UI_LIST} : *v++;
  uint64_t ranges = mode == ASCENDC_TPL_UI_LIST || v == end ? 0 : *v++;
  for (; ranges > 0 && end - v >= 2; --ranges, v += 2)
    for (uint64_t x = v[0]; x <= v[1] && p.count < AkgenTplParam::kLimit; ++x)
      p.values[p.count++] = x;
  for (; v != end && p.count < AkgenTplParam::kLimit; ++v) p.values[p.count++] = *v;
  return p;
}

constexpr bool AkgenTplIsArgument(const AkgenTplParam& p) {
  return p.kind != AkgenTplKind::kNone && p.kind != AkgenTplKind::kKernelType;
}
constexpr bool AkgenTplHas(const AkgenTplParam& p, uint64_t value) {
  for (size_t i = 0; i < p.count; ++i)
    if (p.values[i] == value) return true;
  return false;
}
// The argument of a parameter in a key that begins with it.
constexpr uint64_t AkgenTplDecode(const AkgenTplParam& p, uint64_t key) {
  const uint64_t raw = key & ((uint64_t{1} << p.bits) - 1);
  if (p.kind != AkgenTplKind::kUint) return raw;
  return raw < p.count ? p.values[raw] : ~uint64_t{0};
}
constexpr uint64_t kAkgenNoTplKey = ~uint64_t{0};

#define ASCENDC_TPL_DTYPE_DECL(x, ...) AkgenTplMake(AkgenTplKind::kDtype, 8, {__VA_ARGS__})
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) AkgenTplMake(AkgenTplKind::kType, 8, {__VA_ARGS__})
#define ASCENDC_TPL_FORMAT_DECL(x, ...) AkgenTplMake(AkgenTplKind::kFormat, 8, {__VA_ARGS__})
#define ASCENDC_TPL_UINT_DECL(x, width, ...) AkgenTplMake(AkgenTplKind::kUint, width, {__VA_ARGS__})
#define ASCENDC_TPL_BOOL_DECL(x, ...) AkgenTplMake(AkgenTplKind::kBool, 1, {__VA_ARGS__})
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) AkgenTplMake(AkgenTplKind::kDtype, 8, {__VA_ARGS__})
#define ASCENDC_TPL_DTYPE_SEL(x, ...) AkgenTplMake(AkgenTplKind::kDtype, 8, {__VA_ARGS__})
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) AkgenTplMake(AkgenTplKind::kType, 8, {__VA_ARGS__})
#define ASCENDC_TPL_FORMAT_SEL(x, ...) AkgenTplMake(AkgenTplKind::kFormat, 8, {__VA_ARGS__})
#define ASCENDC_TPL_UINT_SEL(x, ...) AkgenTplMake(AkgenTplKind::kUint, 0, {__VA_ARGS__})
#define ASCENDC_TPL_BOOL_SEL(x, ...) AkgenTplMake(AkgenTplKind::kBool, 1, {__VA_ARGS__})
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) \
  AkgenTplMake(AkgenTplKind::kDtype, 8, {__VA_ARGS__})
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) AkgenTplMake(AkgenTplKind::kKernelType, 0, {__VA_ARGS__})
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) AkgenTplParam()
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) AkgenTplParam()

#if defined(AKGEN_TPL_KEY)
// Both may be declared in any namespace; what takes a key apart is outside of all. A friend that a
// template defines is.
struct AkgenTplOfUnit {};
constexpr auto AkgenTplParams(AkgenTplOfUnit);
constexpr auto AkgenTplRows(AkgenTplOfUnit);
template <const auto* Params>
struct AkgenTplTellParams {
  friend constexpr auto AkgenTplParams(AkgenTplOfUnit) { return Params; }
};
template <const auto* Rows>
struct AkgenTplTellRows {
  friend constexpr auto AkgenTplRows(AkgenTplOfUnit) { return Rows; }
};
#define AkgenTplTell(what, of) static_assert(sizeof(::AkgenTplTell##what<&of>) > 0)
#define kAkgenTplParamsOfUnit (*AkgenTplParams(AkgenTplOfUnit()))
#define kAkgenTplRowsOfUnit (*AkgenTplRows(AkgenTplOfUnit()))
// The parts of a unit that call a template of their own, of which one is compiled.
template <unsigned N>
struct AkgenTplRank : AkgenTplRank<N - 1> {};
template <>
struct AkgenTplRank<0> {};
#else
#define AkgenTplTell(what, of) static_assert(true)
#endif

#define ASCENDC_TPL_ARGS_DECL(op, ...)                              \
  static constexpr AkgenTplParam kAkgenTplParams[] = {__VA_ARGS__}; \
  AkgenTplTell(Params, kAkgenTplParams)
#define ASCENDC_TPL_ARGS_SEL(...) AkgenTplRow({__VA_ARGS__})

struct AkgenTplRow {
  static constexpr size_t kLimit = 24;
  size_t count = 0;
  AkgenTplParam params[kLimit] = {};
  constexpr AkgenTplRow() = default;
  constexpr AkgenTplRow(std::initializer_list<AkgenTplParam> list) {
    for (const AkgenTplParam& p : list)
      if (count < kLimit) params[count++] = p;
  }
  // Whether it allows the arguments `values`, one for each parameter.
  template <size_t N>
  constexpr bool Allows(const uint64_t (&values)[N]) const {
    size_t at = 0;
    for (size_t i = 0; i < count; ++i)
      if (AkgenTplIsArgument(params[i]) && (at >= N || !AkgenTplHas(params[i], values[at++])))
        return false;
    return at == N;
  }
};

#if defined(AKGEN_GRAPH_TYPES_H) && !defined(__CCE_AICORE__)
// Which combinations are compiled is told where they are: their list may ask for what only a
// kernel's compiler defines, its data types and its chip.
#define ASCENDC_TPL_SEL(...)
namespace AscendC {
template <size_t N>
uint64_t AkgenEncodeTplKey(const AkgenTplParam (&params)[N],
                           std::initializer_list<uint64_t> given) {
  uint64_t key = 0;
  if (given.size() != N) return kAkgenNoTplKey;
  unsigned shift = 0;
  for (size_t i = 0; i < N; ++i) {
    const AkgenTplParam& p = params[i];
    const uint64_t value = given.begin()[i];
    uint64_t raw = value;
    if (p.kind == AkgenTplKind::kUint) {
      raw = 0;
      while (raw < p.count && p.values[raw] != value) ++raw;
      if (raw == p.count) return kAkgenNoTplKey;
    }
    if (p.bits >= 64 || raw >> p.bits != 0) return kAkgenNoTplKey;
    key |= raw << shift;
    shift += p.bits;
  }
  return key;
}
}  // namespace AscendC
#define GET_TPL_TILING_KEY(...) ::AscendC::AkgenEncodeTplKey(kAkgenTplParams, {__VA_ARGS__})
#define ASCENDC_TPL_SEL_PARAM(context, ...)                           \
  do {                                                                \
    const uint64_t ascendc_tpl_key = GET_TPL_TILING_KEY(__VA_ARGS__); \
    (context)->SetTilingKey(ascendc_tpl_key);                         \
  } while (0)
#else
#define ASCENDC_TPL_SEL(...)                                                      \
  static constexpr std::initializer_list<AkgenTplRow> kAkgenTplRows{__VA_ARGS__}; \
  AkgenTplTell(Rows, kAkgenTplRows)
#endif

#if defined(AKGEN_TPL_KEY)
// Of the parameters of the unit, which are declared by the time that an entry is made.
template <size_t N>
constexpr uint64_t AkgenTplValueOf(const AkgenTplParam (&params)[N], size_t index) {
  uint64_t key = AKGEN_TPL_KEY;
  for (size_t i = 0; i < index && i < N; ++i) key >>= params[i].bits;
  return index < N ? AkgenTplDecode(params[index], key) : ~uint64_t{0};
}
template <uint64_t Code>
struct AkgenTplTypeOf {
  static_assert(Code != Code, "Ascend C: no combination of ASCENDC_TPL_SEL has this tiling key");
};
#define AKGEN_TPL_TYPE(code, name) \
  template <>                      \
  struct AkgenTplTypeOf<code> {    \
    using type = name;             \
  };
AKGEN_TPL_TYPE(C_DT_FLOAT, float)
AKGEN_TPL_TYPE(C_DT_FLOAT16, half)
AKGEN_TPL_TYPE(C_DT_BF16, bfloat16_t)
AKGEN_TPL_TYPE(C_DT_INT8, int8_t)
AKGEN_TPL_TYPE(C_DT_INT16, int16_t)
AKGEN_TPL_TYPE(C_DT_INT32, int32_t)
AKGEN_TPL_TYPE(C_DT_INT64, int64_t)
AKGEN_TPL_TYPE(C_DT_UINT8, uint8_t)
AKGEN_TPL_TYPE(C_DT_UINT16, uint16_t)
AKGEN_TPL_TYPE(C_DT_UINT32, uint32_t)
AKGEN_TPL_TYPE(C_DT_UINT64, uint64_t)
AKGEN_TPL_TYPE(C_DT_DOUBLE, double)
AKGEN_TPL_TYPE(C_DT_BOOL, bool)
#undef AKGEN_TPL_TYPE
// Whether a combination has the key.
template <size_t N>
constexpr bool AkgenTplIsListed(const AkgenTplParam (&params)[N],
                                std::initializer_list<AkgenTplRow> rows) {
  uint64_t values[N] = {};
  for (size_t i = 0; i < N; ++i) values[i] = AkgenTplValueOf(params, i);
  for (const AkgenTplRow& row : rows)
    if (row.Allows(values)) return true;
  return false;
}
#define AkgenTplMustBeListed()                                                \
  static_assert(AkgenTplIsListed(kAkgenTplParamsOfUnit, kAkgenTplRowsOfUnit), \
                "Ascend C: no combination of ASCENDC_TPL_SEL has this tiling key")
// What of the kernel types the key's combination names; -1: nothing.
template <size_t N>
constexpr int AkgenTplKernelTypeOf(const AkgenTplParam (&params)[N],
                                   std::initializer_list<AkgenTplRow> rows) {
  uint64_t values[N] = {};
  for (size_t i = 0; i < N; ++i) values[i] = AkgenTplValueOf(params, i);
  for (const AkgenTplRow& row : rows)
    for (size_t i = 0; row.Allows(values) && i < row.count; ++i)
      if (row.params[i].kind == AkgenTplKind::kKernelType && row.params[i].count > 0)
        return int(row.params[i].values[0]);
  return -1;
}
#if defined(__DAV_C220_CUBE__)
#define AkgenTplKernelType()                                                          \
  AkgenTplMustBeListed();                                                             \
  if constexpr (constexpr int type =                                                  \
                    AkgenTplKernelTypeOf(kAkgenTplParamsOfUnit, kAkgenTplRowsOfUnit); \
                type >= 0)                                                            \
  static void (*const volatile ascendc_tpl_kernel_type)() __attribute__((used)) =     \
      type == ASCENDC_TPL_AIC_ONLY      ? akgen_kernel_type_aic                       \
      : type == ASCENDC_TPL_MIX_AIC_1_0 ? akgen_kernel_type_mix_1_0                   \
      : type == ASCENDC_TPL_MIX_AIC_1_1 ? akgen_kernel_type_mix_1_1                   \
      : type == ASCENDC_TPL_MIX_AIC_1_2 ? akgen_kernel_type_mix_1_2                   \
                                        : akgen_kernel_type_aiv
#else
#define AkgenTplKernelType() AkgenTplMustBeListed()
#endif
#define AkgenTplType(index) \
  typename AkgenTplTypeOf<AkgenTplValueOf(kAkgenTplParamsOfUnit, index)>::type
#define AkgenTplArgument(index) AkgenTplValueOf(kAkgenTplParamsOfUnit, index)
#endif
#endif
