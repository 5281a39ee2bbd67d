// A conversion with one that they have.
// launch: blocks=1 args=inout:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 512 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<int32_t> i = t[256].ReinterpretCast<int32_t>();
  Duplicate(t, 1.5f, 256);
  Cast(i, t, RoundMode::CAST_RINT, 256);
}
