// expect: Ascend C: DataCopy GM->UB needs source and destination of one dtype
#include "kernel_operator.h"
void Kernel(AscendC::LocalTensor<half> ub, AscendC::GlobalTensor<float> gm) {
  AscendC::DataCopy(ub, gm, 64);
}
