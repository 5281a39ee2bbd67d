// expect: Ascend C: CrossCoreSetFlag needs mode 0, 1 or 2 on this chip
#include "kernel_operator.h"
void Kernel() { AscendC::CrossCoreSetFlag<4, PIPE_MTE3>(1); }
