// A structure read from Global Memory that is longer than the tensor.
// launch: blocks=1 args=in:i32[8]
// expect: AK1002
// guest: the compiler copies the structure word by word, and the first word beyond the tensor is told
#include "kernel_operator.h"
using namespace AscendC;

struct Header {
  int32_t rows, columns, pad[14];
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {

  Header header = *(__gm__ Header *)(x + (1 << 16));  // <-- AK1002
  if (header.rows < 0) Trap();
}
