// The Fixpipe Buffer has 2 KiB by its page and 7 by the toolkit's headers: in between is a warning.
// launch: blocks=1 args=in:f16[256]
// expect: warning:AK1401
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  TPipe pipe;
  TBuf<TPosition::C2PIPE2GM> buffer;
  pipe.InitBuffer(buffer, 7 * 1024);
}
