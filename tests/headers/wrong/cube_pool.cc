// expect: akgen unsupported: a TBufPool in a cube memory
#include "kernel_operator.h"
AscendC::TBufPool<AscendC::TPosition::A1> pool;
