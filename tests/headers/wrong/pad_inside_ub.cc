// expect: Ascend C: DataCopyPad on a vector core needs GM on one side
#include "kernel_operator.h"
void Kernel(AscendC::LocalTensor<half> ub) {
  AscendC::DataCopyExtParams params;
  AscendC::DataCopyPad(ub, ub, params);
}
