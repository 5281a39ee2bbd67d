// expect: Ascend C: DeQue(tensor) needs a queue of depth 0
#include "kernel_operator.h"
void Kernel(AscendC::TQue<AscendC::TPosition::VECIN, 1>& queue,
            AscendC::LocalTensor<float>& tensor) {
  queue.DeQue<float>(tensor);
}
