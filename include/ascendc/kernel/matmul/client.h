// An object on a Vector core: operands in UB go to the Cube core, and results come back, by way of
// Global Memory. Each Vector core has a shadow of its UB in the system workspace.
#ifndef ASCENDC_KERNEL_MATMUL_CLIENT_H
#define ASCENDC_KERNEL_MATMUL_CLIENT_H
#include "kernel/matmul/job.h"
#include "kernel/tiling.h"

namespace AscendC {
// While one is alive, findings point to the kernel's call of this library.
struct AkgenLibraryCall {
  AkgenLibraryCall() { akgen_library_call(1); }
  ~AkgenLibraryCall() { akgen_library_call(0); }
};

// An operand in UB, bytes.
struct AkgenOfUb {
  void* at = nullptr;
  uint32_t bytes = 0;
};

inline uint8_t* AkgenShadow(const void* ub) {
  constexpr uint64_t kBytesOfUb = 192 * 1024;
  auto* workspace = static_cast<uint8_t*>(akgen_sys_workspace());
  if (!workspace)
    akgen_unsupported("a Matmul object with operands in UB, where no system workspace is set");
  return workspace + akgen_block_idx() * kBytesOfUb + akgen_position_offset(AKGEN_POS_VECIN, ub);
}

// A, B and bias out of UB. What an earlier call still reads must not change.
inline void AkgenFromUb(AkgenMatmulJob& job, const AkgenOfUb (&of)[3], uint64_t posted) {
  AkgenPlace* const places[] = {&job.a, &job.b, &job.bias};
  for (int i = 0; i < 3; ++i) {
    if (!of[i].at || !places[i]->set) continue;
    if (posted) akgen_job_wait(posted);
    const LocalTensor<uint8_t> from(of[i].at, of[i].bytes, TPosition::VECOUT);
    GlobalTensor<uint8_t> to;
    to.SetGlobalBuffer(AkgenShadow(of[i].at));
    DataCopy(to, from, of[i].bytes);
    places[i]->at = reinterpret_cast<uint64_t>(to.GetPhyAddr());
  }
}

// Rows out of the shadow, after what the vector unit did with their place and before what it does
// next.
template <typename C>
inline void AkgenToUb(const LocalTensor<C>& ub, const GlobalTensor<C>& from, int64_t first,
                      int32_t rows, int32_t columns, int32_t row_stride) {
  constexpr int32_t kLine = 32 / static_cast<int32_t>(sizeof(C));
  const int32_t lines = AkgenCeil(columns, kLine), gap = row_stride / kLine - lines;
  const int32_t before = akgen_fetch_event(PIPE_V, PIPE_MTE2),
                after = akgen_fetch_event(PIPE_MTE2, PIPE_V);
  SetFlag<HardEvent::V_MTE2>(before);
  WaitFlag<HardEvent::V_MTE2>(before);
  DataCopy(ub[static_cast<uint32_t>(first)], from[static_cast<uint64_t>(first)],
           DataCopyParams(static_cast<uint16_t>(rows), static_cast<uint16_t>(lines),
                          static_cast<uint16_t>(gap), static_cast<uint16_t>(gap)));
  SetFlag<HardEvent::MTE2_V>(after);
  WaitFlag<HardEvent::MTE2_V>(after);
}

template <typename Static>
inline void AkgenTakeStatic(const Static& s, TCubeTiling& t) {
  auto take = [](int32_t known, int32_t& field) {
    if (known >= 0) field = known;
  };
  take(s.M, t.M), take(s.N, t.N), take(s.Ka, t.Ka), take(s.Kb, t.Kb);
  take(s.singleCoreM, t.singleCoreM), take(s.singleCoreN, t.singleCoreN),
      take(s.singleCoreK, t.singleCoreK);
  take(s.baseM, t.baseM), take(s.baseN, t.baseN), take(s.baseK, t.baseK);
  take(s.depthA1, t.depthA1), take(s.depthB1, t.depthB1), take(s.stepM, t.stepM),
      take(s.stepN, t.stepN);
  take(s.stepKa, t.stepKa), take(s.stepKb, t.stepKb), take(s.isBias, t.isBias),
      take(s.iterateOrder, t.iterateOrder);
  take(s.dbL0A, t.dbL0A), take(s.dbL0B, t.dbL0B), take(s.dbL0C, t.dbL0C);
}
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_MATMUL_CLIENT_H
