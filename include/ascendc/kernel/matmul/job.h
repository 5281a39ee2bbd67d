// One call of a Matmul object as data: what the Cube core needs to know to carry it out.
#ifndef ASCENDC_KERNEL_MATMUL_JOB_H
#define ASCENDC_KERNEL_MATMUL_JOB_H
#include "kernel/matmul/config.h"

namespace AscendC {
enum class AkgenMatmulCall : uint32_t { kAll, kBlock, kBatch };

// Where a matrix begins: an address in Global Memory, or an offset in L1 (bytes).
struct AkgenPlace {
  uint64_t at = 0;
  bool in_l1 = false;
  bool trans = false;
  bool set = false;
};

struct AkgenMatmulJob {
  uint32_t object = 0;  // which of those that REGIST_MATMUL_OBJ names
  AkgenMatmulCall call = AkgenMatmulCall::kAll;
  uint32_t number = 0;  // of the calls of this object on this core
  TCubeTiling tiling;
  int32_t m = 0, n = 0, k = 0;  // of this call
  int32_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0,
          org_kc = 0;  // widths of the stored matrices
  AkgenPlace a, b, bias, quant, index, c;
  uint64_t quant_word = 0;
  uint8_t atomic = 0;
  bool sequential = false, hf32 = false, hf32_truncates = false;
  int32_t row_stride = 0;  // of C where it lies in UB, 0: as org_kc and org_n say
  int32_t block_m = 0, block_n = 0,
          block_k = -1;                         // kBlock: which; along K, all of it when negative
  int32_t loops = 1, batch_a = 1, batch_b = 1;  // kBatch
  uint32_t stride_a = 0, stride_b = 0, stride_c = 0;
  uint64_t user_info = 0, user_data = 0;  // for callbacks
};

constexpr int32_t AkgenCeil(int32_t a, int32_t b) { return (a + b - 1) / b; }
constexpr int32_t AkgenUp(int32_t a, int32_t b) { return AkgenCeil(a, b) * b; }
constexpr int32_t AkgenLeast(int32_t a, int32_t b) { return a < b ? a : b; }
constexpr int32_t AkgenMost(int32_t a, int32_t b) { return a < b ? b : a; }
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_MATMUL_JOB_H
