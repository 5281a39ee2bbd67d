// The same bytes under another type: the copy and the vector instruction meet there all the same.
// launch: blocks=1 args=in:f16[256]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  GlobalTensor<half> xGm;
  xGm.SetGlobalBuffer((__gm__ half *)x, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> bufA, bufB;
  pipe.InitBuffer(bufA, 256 * sizeof(float));
  pipe.InitBuffer(bufB, 256 * sizeof(float));
  LocalTensor<float> a = bufA.Get<float>();
  LocalTensor<float> b = bufB.Get<float>();

  LocalTensor<half> bytes = a.ReinterpretCast<half>();
  DataCopy(bytes, xGm, 256);
  Adds(b, a, 1.0f, 64);  // <-- AK1201
}
