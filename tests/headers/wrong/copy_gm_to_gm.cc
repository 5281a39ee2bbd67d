// expect: Ascend C: DataCopy has no path from GM to GM
#include "kernel_operator.h"
void Kernel(AscendC::GlobalTensor<float> gm) { AscendC::DataCopy(gm, gm, 64); }
