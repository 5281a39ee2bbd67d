// The sums go to the workspace where they are fetched from.
// launch: blocks=1 args=out:f32[8],workspace[1024]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace) {
  GlobalTensor<float> yGm, scratch;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  scratch.SetGlobalBuffer((__gm__ float *)workspace, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 128 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Duplicate(t, 1.0f, 8);
  PipeBarrier<PIPE_ALL>();
  DataCopy(scratch, t, 8);
  PipeBarrier<PIPE_ALL>();
  DataCopy(t[64], scratch, 8);
  PipeBarrier<PIPE_ALL>();
  Muls(t[64], t[64], 2.0f, 8);
  ReduceSum(t[32], t[64], t[96], 8);
  Muls(t[32], t[64], 1.0f, 8);
  PipeBarrier<PIPE_ALL>();
  DataCopy(yGm, t[32], 8);
}
