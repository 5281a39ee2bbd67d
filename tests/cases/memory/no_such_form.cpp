// An intrinsic on plain pointers, given a dtype that the vector unit does not have.
// launch: blocks=1 args=inout:f32[256]
// expect: AK1505
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(double));
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 0.0f, 128);
  set_mask_norm();
  set_vector_mask(0, 0xffffffff);
  pipe_barrier(PIPE_V);
  __ubuf__ double *raw = (__ubuf__ double *)t.GetPhyAddr();
  vcadd(raw, raw, 1, 1, 1, 8, false);  // <-- AK1505
}
