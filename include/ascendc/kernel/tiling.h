// Tiling data and tiling keys. The unit that is compiled names the default tiling structure by a
// macro, before or after this header: #define AKGEN_DEFAULT_TILING AddTilingData. Without the macro
// the word is an ordinary name, which REGISTER_TILING_DEFAULT declares.
#ifndef ASCENDC_KERNEL_TILING_H
#define ASCENDC_KERNEL_TILING_H
#include "kernel/types.h"

// The scalar unit reads the tiling block from GM.
inline void AkgenReadTiling(void* to, const void* from, uint32_t bytes) {
  akgen_scalar_read(from, bytes, AKGEN_SCALAR_PLAIN);
  __builtin_memcpy(to, from, bytes);
}

// Sub-structures are named themselves or by their address.
template <typename T>
inline const void* AkgenTilingAt(const T& object) {
  if constexpr (std::is_pointer<T>::value)
    return (const void*)object;
  else
    return &object;
}

// A tiling structure that is known when the kernel is compiled, out of its bytes.
template <typename T>
constexpr T convert_from_bytes(const uint8_t* bytes) {
  struct Bytes {
    uint8_t at[sizeof(T)];
  } copy = {};
  for (size_t i = 0; i < sizeof(T); ++i) copy.at[i] = bytes[i];
  return __builtin_bit_cast(T, copy);
}

#define GET_TILING_DATA(tiling_data, tiling_arg) \
  GET_TILING_DATA_WITH_STRUCT(AKGEN_DEFAULT_TILING, tiling_data, tiling_arg)
#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg) \
  tiling_struct tiling_data;                                                \
  AkgenReadTiling(&tiling_data, (tiling_arg), static_cast<uint32_t>(sizeof(tiling_data)))
#define GET_TILING_DATA_MEMBER(tiling_struct, member, var, tiling_arg)                          \
  decltype(tiling_struct::member) var;                                                          \
  AkgenReadTiling(                                                                              \
      &var,                                                                                     \
      reinterpret_cast<const uint8_t*>(tiling_arg) + __builtin_offsetof(tiling_struct, member), \
      static_cast<uint32_t>(sizeof(var)))
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, dst_ptr, tiling_ptr) \
  __tiling_data_ptr__ tiling_struct* dst_ptr =                              \
      reinterpret_cast<__tiling_data_ptr__ tiling_struct*>(tiling_ptr);     \
  akgen_scalar_read(dst_ptr, static_cast<uint32_t>(sizeof(tiling_struct)), AKGEN_SCALAR_PLAIN)
// src is a member reached through GET_TILING_DATA_PTR_WITH_STRUCT, or its address; dst_ptr becomes
// a pointer to a local copy.
#define COPY_TILING_WITH_STRUCT(tiling_struct, src, dst_ptr)               \
  tiling_struct akgen_copy_of_##dst_ptr;                                   \
  AkgenReadTiling(&akgen_copy_of_##dst_ptr, AkgenTilingAt(src),            \
                  static_cast<uint32_t>(sizeof(akgen_copy_of_##dst_ptr))); \
  const tiling_struct* dst_ptr = &akgen_copy_of_##dst_ptr
#define COPY_TILING_WITH_ARRAY(arr_type, arr_count, src, dst_ptr)          \
  arr_type akgen_copy_of_##dst_ptr[arr_count];                             \
  AkgenReadTiling(&akgen_copy_of_##dst_ptr, AkgenTilingAt(src),            \
                  static_cast<uint32_t>(sizeof(akgen_copy_of_##dst_ptr))); \
  const arr_type(*dst_ptr)[arr_count] = &akgen_copy_of_##dst_ptr

#define TILING_KEY_VAR (akgen_tiling_key())
#define TILING_KEY_IS(k) (TILING_KEY_VAR == (k))
template <typename... Keys>
inline bool AkgenTilingKeyIn(Keys... keys) {
  return ((TILING_KEY_VAR == static_cast<uint64_t>(keys)) || ...);
}
#define TILING_KEY_LIST(...) (AkgenTilingKeyIn(__VA_ARGS__))

// Structures written in plain C++ are registered inside the kernel function, before
// GET_TILING_DATA.
#define REGISTER_TILING_DEFAULT(tiling_struct) using AKGEN_DEFAULT_TILING = tiling_struct
#define REGISTER_TILING_FOR_TILINGKEY(expression, tiling_struct) \
  static_assert(sizeof(tiling_struct) > 0,                       \
                "Ascend C: a registered tiling structure must be complete")
#define REGISTER_NONE_TILING static_assert(true, "")

// The kernel type decides what the launch starts: the program for Cube cores takes a name from
// outside that says so. In the one for Vector cores it is only stated.
#define AKGEN_IS_TYPE(value) \
  static_assert(AscendC::value < AscendC::KERNEL_TYPE_MAX, "Ascend C: this needs a kernel type")
#if defined(__DAV_C220_CUBE__)
extern "C" void akgen_kernel_type_aiv(), akgen_kernel_type_aic(), akgen_kernel_type_mix_1_0(),
    akgen_kernel_type_mix_1_1(), akgen_kernel_type_mix_1_2();
#define AKGEN_JOIN_(a, b) a##b
#define AKGEN_JOIN(a, b) AKGEN_JOIN_(a, b)
#define AKGEN_TAKE_TYPE(value)                                                             \
  AKGEN_IS_TYPE(value);                                                                    \
  static void (*const volatile AKGEN_JOIN(ascendc_kernel_type_, __COUNTER__))()            \
      __attribute__((used)) =                                                              \
          AscendC::value == AscendC::KERNEL_TYPE_AIC_ONLY      ? akgen_kernel_type_aic     \
          : AscendC::value == AscendC::KERNEL_TYPE_MIX_AIC_1_0 ? akgen_kernel_type_mix_1_0 \
          : AscendC::value == AscendC::KERNEL_TYPE_MIX_AIC_1_1 ? akgen_kernel_type_mix_1_1 \
          : AscendC::value == AscendC::KERNEL_TYPE_MIX_AIC_1_2 ? akgen_kernel_type_mix_1_2 \
                                                               : akgen_kernel_type_aiv
#define KERNEL_TASK_TYPE(key, value) AKGEN_TAKE_TYPE(value)
#define KERNEL_TASK_TYPE_DEFAULT(value) AKGEN_TAKE_TYPE(value)
#elif defined(__riscv) || defined(AKGEN_PROGRAM)
#define KERNEL_TASK_TYPE(key, value) AKGEN_IS_TYPE(value)
#define KERNEL_TASK_TYPE_DEFAULT(value) AKGEN_IS_TYPE(value)
#else  // machine code, of which the Vector cores alone run
#define AKGEN_VECTOR_TYPE(value)                                                                  \
  AKGEN_IS_TYPE(value);                                                                           \
  static_assert(AscendC::value == AscendC::KERNEL_TYPE_AIV_ONLY ||                                \
                    AscendC::value == AscendC::KERNEL_TYPE_MIX_AIV_1_0,                           \
                "akgen unsupported: that runs Cube cores as machine code, so that nothing would " \
                "run there: use the "                                                             \
                "guest backend")
#define KERNEL_TASK_TYPE(key, value) AKGEN_VECTOR_TYPE(value)
#define KERNEL_TASK_TYPE_DEFAULT(value) AKGEN_VECTOR_TYPE(value)
#endif
#define ENABLE_DETERMINISTIC() static_assert(true, "")
#endif  // ASCENDC_KERNEL_TILING_H
