// An argument is null and used all the same.
// launch: blocks=1 args=out:f32[8]
// expect: AK1703 AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  LocalTensor<float> t = buf.Get<float>();

  GlobalTensor<float> absent;
  absent.SetGlobalBuffer((__gm__ float *)nullptr, 8);
  DataCopy(t, absent, 8);  // <-- AK1703
}
