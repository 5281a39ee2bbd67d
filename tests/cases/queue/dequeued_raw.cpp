// DeQue waits for the copy on the vector pipe only: a plain load still meets it.
// launch: blocks=1 args=in:f32[256]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  GlobalTensor<float> xGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 256 * sizeof(float));

  LocalTensor<float> t = queue.AllocTensor<float>();
  DataCopy(t, xGm, 256);
  queue.EnQue(t);
  t = queue.DeQue<float>();
  float first = *(__ubuf__ float *)t.GetPhyAddr();  // <-- AK1201
  if (first > 1e30f) Trap();
  queue.FreeTensor(t);
}
