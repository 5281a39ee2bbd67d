// expect: Ascend C: DataCopyPad with DataCopyExtParams needs DataCopyPadExtParams
#include "kernel_operator.h"
void Kernel(AscendC::LocalTensor<half> ub, AscendC::GlobalTensor<half> gm) {
  AscendC::DataCopyExtParams params;
  AscendC::DataCopyPadParams pad;
  AscendC::DataCopyPad(ub, gm, params, pad);
}
