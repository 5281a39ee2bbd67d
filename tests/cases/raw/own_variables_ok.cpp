// Arrays on the stack, constants and variables of the kernel file, reached through pointers.
// launch: blocks=1 args=out:f32[8]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

static const int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int calls = 0;
struct Total {
  void Add(int v) { total += v; }
  int total = 0;
};
static void Fill(int *to, int n) {
  for (int i = 0; i < n; ++i) to[i] = i;
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  int values[8];
  Fill(values, 8);
  Total sum;
  for (int i = 0; i < 8; ++i) sum.Add(values[i] * table[i]);
  calls = calls + 1;
  for (uint32_t i = 0; i < 8; ++i) t.SetValue(i, float(sum.total));
  DataCopy(yGm, t, 8);
}
