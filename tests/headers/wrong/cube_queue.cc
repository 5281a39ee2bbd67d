// expect: akgen unsupported: a queue in a cube memory
#include "kernel_operator.h"
void Kernel(AscendC::TPipe& pipe) {
  AscendC::TQue<AscendC::TPosition::A1, 1> queue;
  pipe.InitBuffer(queue, 1, 1024);
}
