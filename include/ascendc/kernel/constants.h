// Constants of the kernel API on NpuArch 2201, in the types kernels rely on when they deduce from
// them.
#ifndef ASCENDC_KERNEL_CONSTANTS_H
#define ASCENDC_KERNEL_CONSTANTS_H
#include <stddef.h>
#include <stdint.h>

#include "akgen/block_constants.h"

namespace AscendC {
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr uint64_t FULL_MASK = 0xffffffffffffffffULL;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t MIN_REPEAT_TIMES = 0;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr int32_t HALF_FACTOR = 2;
constexpr int32_t DOUBLE_FACTOR = 2;
constexpr int32_t ONE_BYTE_BIT_SIZE = 8;
// Flags by which the software form of SyncAll and Matmul objects let the cores of all AI Cores
// wait.
constexpr uint16_t SYNC_AIC_FLAG = 11;
constexpr uint16_t SYNC_AIV_FLAG = 12;
constexpr uint32_t SIXTEEN = 16;  // comes with TopK
constexpr uint32_t F32_INF = 0x7f800000;
constexpr uint32_t F32_NEG_INF = 0xff800000;
constexpr uint32_t F32_NAN = 0x7fc00000;

constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;  // bytes, without the part APIs reserve
constexpr uint32_t TOTAL_UB_SIZE = 192 * 1024;        // bytes
constexpr uint32_t TOTAL_L1_SIZE =
    512 * 1024 - 128;                            // bytes, without the part Matmul objects reserve
constexpr uint32_t TOTAL_L0A_SIZE = 64 * 1024;   // bytes
constexpr uint32_t TOTAL_L0B_SIZE = 64 * 1024;   // bytes
constexpr uint32_t TOTAL_L0C_SIZE = 128 * 1024;  // bytes
constexpr uint32_t TMP_UB_SIZE = 8 * 1024;       // bytes
constexpr uint32_t TMP_UB_OFFSET = 184 * 1024;   // bytes
constexpr uint32_t ASC_UB_SIZE = 192 * 1024 - 256;  // bytes
constexpr uint32_t CACHE_LINE_SIZE = 64;            // bytes
constexpr uint32_t VECTOR_REG_WIDTH = 256;          // bytes

constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;  // bytes of a repeat
constexpr int32_t CUBE_MAX_SIZE = 256;
constexpr int32_t BYTE_PER_FRACTAL = 512;
constexpr uint8_t PAD_SIZE = 4;
constexpr uint8_t MRG_SORT_ELEMENT_LEN = 4;
constexpr uint8_t VDEQ_TENSOR_SIZE = 16;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr int32_t VA_REG_ARRAY_LEN = 8;
constexpr int32_t K_MAX_DIM = 8;
constexpr int32_t VREDUCE_PER_REP_OUTPUT = 2;
constexpr int32_t FULL_MASK_LEN = 128;
constexpr int32_t HALF_MASK_LEN = 64;
constexpr uint16_t MAX_HALF_MASK_LEN = 64;
constexpr int32_t DEFAULT_REDUCE_DST_REP_STRIDE = 1;
constexpr uint8_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint8_t DEFAULT_DATA_COPY_STRIDE = 0;
constexpr uint8_t B64_BYTE_SIZE = 8;
constexpr uint8_t B32_BYTE_SIZE = 4;
constexpr uint8_t B16_BYTE_SIZE = 2;
constexpr uint8_t B8_BYTE_SIZE = 1;
constexpr uint8_t B32_DATA_NUM_PER_BLOCK = 8;
constexpr uint8_t B16_DATA_NUM_PER_BLOCK = 16;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = 64;
constexpr uint32_t HALF_REPEAT_SIZE = 128;      // elements
constexpr uint32_t FLOAT_REPEAT_SIZE = 64;      // elements
constexpr uint32_t ONE_REPEAT_FLOAT_SIZE = 64;  // elements
constexpr uint32_t ONE_REPEAT_HALF_SIZE = 128;  // elements
constexpr uint32_t MAX_REPEAT_FLOAT_SIZE = ONE_REPEAT_FLOAT_SIZE * MAX_REPEAT_TIMES;
constexpr uint32_t MAX_REPEAT_HALF_SIZE = ONE_REPEAT_HALF_SIZE * MAX_REPEAT_TIMES;
constexpr uint32_t ONE_BLK_HALF_NUM = 16;  // elements
constexpr uint32_t ONE_BLK_FLOAT_NUM = 8;  // elements
constexpr uint32_t BRCB_BROADCAST_NUMBER = 8;
constexpr uint32_t BRCB_MAX_REPEAT_SIZE = BRCB_BROADCAST_NUMBER * MAX_REPEAT_TIMES;
constexpr int32_t MIN_BLOCK_LEN = 1;
constexpr uint32_t PAIR_REDUCE_REPEAT_STRIDE_LEN = 128;
constexpr uint32_t PAIR_REDUCE_SUM_MERGES = 2;
constexpr int32_t QUE_MAX_EVENT = 8;
// Bytes at the start of the workspace that belong to the system; GetUserWorkspace skips them.
constexpr size_t RESERVED_WORKSPACE = 16 * 1024 * 1024;
}  // namespace AscendC
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif
#endif  // ASCENDC_KERNEL_CONSTANTS_H
