// expect: Ascend C: DataCopy UB->GM needs source and destination of one dtype
#include "kernel_operator.h"
void Kernel(AscendC::LocalTensor<half> ub, AscendC::GlobalTensor<float> gm) {
  AscendC::DataCopy(gm, ub, 64);
}
