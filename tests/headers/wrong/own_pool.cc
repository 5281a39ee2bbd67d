// expect: akgen unsupported: EXTERN_IMPL_BUFPOOL
#include "kernel_operator.h"
class Pool {
 public:
  EXTERN_IMPL_BUFPOOL(Pool, AscendC::TPosition::VECCALC, 16);
};
