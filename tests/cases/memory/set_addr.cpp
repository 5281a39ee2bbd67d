// A tensor at the place of another one, which ends before it.
// launch: blocks=1 args=in:f32[64],out:f32[64]
// expect: AK1003
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  LocalTensor<float> t = buf.Get<float>(), second, first;
  second.SetAddr(t[64].address_);
  const TBuffAddr start{256, 0, nullptr, static_cast<uint8_t>(TPosition::VECCALC)};
  first.SetAddr(start);
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  DataCopy(second, xGm, 64);  // <-- AK1003
  PipeBarrier<PIPE_ALL>();
  Muls(first, second, 2.0f, 64);  // <-- AK1003
  PipeBarrier<PIPE_ALL>();
  DataCopy(yGm, t, 64);
}
