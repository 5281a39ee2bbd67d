// expect: Ascend C: atomic copies need half, float, int16_t, int32_t, int8_t or bfloat16_t
#include "kernel_operator.h"
void Kernel() { AscendC::SetAtomicAdd<int64_t>(); }
