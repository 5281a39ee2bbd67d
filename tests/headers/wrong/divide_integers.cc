// expect: Ascend C: operator/ on tensors needs half or float
#include "kernel_operator.h"
void Kernel(AscendC::LocalTensor<int32_t> a, AscendC::LocalTensor<int32_t> b) { a = a / b; }
