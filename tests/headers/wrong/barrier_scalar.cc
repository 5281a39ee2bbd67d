// expect: Ascend C: PipeBarrier does not take PIPE_S
#include "kernel_operator.h"
void Kernel() { AscendC::PipeBarrier<PIPE_S>(); }
