// expect: Ascend C: a queue of depth 0 has AllocTensor(tensor) only
#include "kernel_operator.h"
void Kernel(AscendC::TQue<AscendC::TPosition::VECIN, 0>& queue) { queue.AllocTensor<float>(); }
