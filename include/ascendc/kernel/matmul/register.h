// REGIST_MATMUL_OBJ: objects get their tilings and L1. A kernel whose objects are on Vector cores has its Cube core
// serve them here until they are gone; the rest of the function is for Vector cores.
#ifndef ASCENDC_KERNEL_MATMUL_REGISTER_H
#define ASCENDC_KERNEL_MATMUL_REGISTER_H
#include "kernel/matmul/object.h"

namespace AscendC {
inline uint32_t AkgenInitAll() { return 0; }
// Result: bytes of L1 that the neediest of them takes. One after the other they use the same.
template <typename Object, typename... Others>
inline uint32_t AkgenInitAll(Object& object, const TCubeTiling* tiling, Others&&... others) {
  object.AkgenInit(tiling);
  const uint32_t own = object.AkgenL1Bytes(), most = AkgenInitAll(others...);
  return own > most ? own : most;
}
inline void AkgenPlaceAll(void*, uint32_t) {}
template <typename Object, typename... Others>
inline void AkgenPlaceAll(void* l1, uint32_t number, Object& object, const TCubeTiling*, Others&&... others) {
  object.AkgenUseL1(l1);
  if (!Object::kAkgenLocal && akgen_core_type() == AIV) object.AkgenRegister(number);
  AkgenPlaceAll(l1, number + 1, others...);
}
inline void AkgenCarryOut(const AkgenMatmulJob&, uint32_t) {}
template <typename Object, typename... Others>
inline void AkgenCarryOut(const AkgenMatmulJob& job, uint32_t number, Object& object, const TCubeTiling*,
                          Others&&... others) {
  if (number == job.object) object.AkgenCarryOut(job);
  else AkgenCarryOut(job, number + 1, others...);
}

// Result: is the function over for this core?
template <typename Object, typename... Others>
inline bool AkgenRegisterMatmul(TPipe* pipe, Object& object, Others&&... others) {
  if constexpr (kAkgenCubeOnly) {
    if ASCEND_IS_AIV { return true; }
  }
  static_assert(sizeof...(Others) % 2 == 1 && sizeof...(Others) <= 7,
                "Ascend C: REGIST_MATMUL_OBJ takes up to four objects, each with its tiling");
  if constexpr (!Object::kAkgenLocal) {
    if ASCEND_IS_AIV { akgen_jobs_open((sizeof...(Others) + 1) / 2); }
  }
  uint32_t bytes = AkgenInitAll(object, others...);
  AkgenPlaceAll(akgen_buf_init(AKGEN_POS_A1, &bytes), 0, object, others...);
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
