// A read-modify-write through a pointer is a store: the vector unit has to be waited for.
// launch: blocks=1 args=in:f32[8]
// expect: AK1203
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {

  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  LocalTensor<int32_t> t = buf.Get<int32_t>();
  Duplicate(t, 1, 64);
  __atomic_fetch_add((__ubuf__ int32_t *)t.GetPhyAddr(), 1, __ATOMIC_RELAXED);  // <-- AK1203
}
