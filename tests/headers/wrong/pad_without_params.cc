// expect: Ascend C: DataCopyPad GM->UB needs padding parameters as its fourth argument
#include "kernel_operator.h"
void Kernel(AscendC::LocalTensor<half> ub, AscendC::GlobalTensor<half> gm) {
  AscendC::DataCopyExtParams params;
  AscendC::DataCopyPad(ub, gm, params);
}
