// expect: Ascend C: a queue of depth 0 does not count its tensors
#include "kernel_operator.h"
void Kernel(AscendC::TQue<AscendC::TPosition::VECIN, 0>& queue) { queue.HasTensorInQue(); }
