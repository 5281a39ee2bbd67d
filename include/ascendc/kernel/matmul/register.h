// REGIST_MATMUL_OBJ: objects get their tilings and L1. A kernel whose objects are on Vector cores
// has its Cube core serve them here until they are gone; the rest of the function is for Vector
// cores.
#ifndef ASCENDC_KERNEL_MATMUL_REGISTER_H
#define ASCENDC_KERNEL_MATMUL_REGISTER_H
#include "kernel/matmul/object.h"

namespace AscendC {
// Behind an object stands its tiling, or the next object: then its own Init brings the tiling.
template <typename Argument>
inline constexpr bool kAkgenIsTiling =
    __is_pointer(std::decay_t<Argument>) ||
    std::is_same_v<std::decay_t<Argument>, decltype(nullptr)>;  // also __restrict
template <typename... Arguments>
inline constexpr size_t kAkgenObjects = (0 + ... + (kAkgenIsTiling<Arguments> ? 0 : 1));

// Result: bytes of L1 that the neediest of them takes. One after the other they use the same; one
// whose tiling is not known yet gets some of its own with its first job.
inline uint32_t AkgenInitAll() { return 0; }
template <typename Object>
inline uint32_t AkgenInitAll(Object&) {
  return 0;
}
template <typename Object, typename Next, typename... Others>
inline uint32_t AkgenInitAll(Object& object, Next&& next, Others&&... others) {
  if constexpr (kAkgenIsTiling<Next>) {
    object.AkgenInit(static_cast<const TCubeTiling*>(next));
    const uint32_t own = object.AkgenL1Bytes(), most = AkgenInitAll(others...);
    return own > most ? own : most;
  } else {
    return AkgenInitAll(next, others...);
  }
}
inline void AkgenPlaceAll(void*, uint32_t) {}
template <typename Object>
inline void AkgenPlaceAll(void*, uint32_t number, Object& object) {
  if (!Object::kAkgenLocal && akgen_core_type() == AIV) object.AkgenRegister(number);
}
template <typename Object, typename Next, typename... Others>
inline void AkgenPlaceAll(void* l1, uint32_t number, Object& object, Next&& next,
                          Others&&... others) {
  AkgenPlaceAll(l1, number, object);
  if constexpr (kAkgenIsTiling<Next>) {
    object.AkgenUseL1(l1);
    AkgenPlaceAll(l1, number + 1, others...);
  } else {
    AkgenPlaceAll(l1, number + 1, next, others...);
  }
}
inline void AkgenCarryOut(const AkgenMatmulJob&, uint32_t) {}
template <typename Object>
inline void AkgenCarryOut(const AkgenMatmulJob& job, uint32_t number, Object& object) {
  if (number == job.object) object.AkgenCarryOut(job);
}
template <typename Object, typename Next, typename... Others>
inline void AkgenCarryOut(const AkgenMatmulJob& job, uint32_t number, Object& object, Next&& next,
                          Others&&... others) {
  if (number == job.object)
    object.AkgenCarryOut(job);
  else if constexpr (kAkgenIsTiling<Next>)
    AkgenCarryOut(job, number + 1, others...);
  else
    AkgenCarryOut(job, number + 1, next, others...);
}

// Result: is the function over for this core?
template <typename Object, typename... Others>
inline bool AkgenRegisterMatmul(TPipe* pipe, Object& object, Others&&... others) {
  if constexpr (kAkgenCubeOnly) {
    if ASCEND_IS_AIV {
      return true;
    }
  }
  constexpr size_t objects = 1 + kAkgenObjects<Others...>;
  static_assert(
      objects <= 4,
      "Ascend C: REGIST_MATMUL_OBJ takes up to four objects, each with its tiling or without");
  if constexpr (!Object::kAkgenLocal) {
    if ASCEND_IS_AIV {
      akgen_jobs_open(objects);
    }
  }
  uint32_t bytes = AkgenInitAll(object, others...);
  AkgenPlaceAll(bytes ? akgen_buf_init(AKGEN_POS_A1, &bytes) : nullptr, 0, object, others...);
  if constexpr (!Object::kAkgenLocal) {
    if ASCEND_IS_AIC {
      AkgenMatmulJob job;
      while (akgen_job_take(&job, sizeof job)) {
        AkgenCarryOut(job, 0, object, others...);
        akgen_job_done();
      }
      return true;
    }
  }
  return false;
}
}  // namespace AscendC

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  if (AscendC::AkgenRegisterMatmul(tpipe, __VA_ARGS__)) return
#endif  // ASCENDC_KERNEL_MATMUL_REGISTER_H
