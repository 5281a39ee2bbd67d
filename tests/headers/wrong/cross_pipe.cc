// expect: Ascend C: CrossCoreSetFlag does not take PIPE_S or PIPE_ALL
#include "kernel_operator.h"
void Kernel() { AscendC::CrossCoreSetFlag<0, PIPE_ALL>(1); }
