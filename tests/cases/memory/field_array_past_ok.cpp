// Indexes of arrays of structures; an array of one element at the end stands for as many as there are.
// launch: blocks=1 args=out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

struct Shares {
  int32_t rows[3];
  float factor;
};
struct Rest {
  int32_t count;
  int32_t values[1];
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  Shares shares{{8, 24, 32}, 5.0f};
  int32_t at = 0;
  for (uint32_t i = 0; i < 3; at += shares.rows[i++]) Duplicate(t[at], shares.factor, shares.rows[i]);
  int32_t several[3] = {1, 2, 3};
  Rest *rest = (Rest *)several;
  Adds(t, t, float(rest->values[1 + GetBlockIdx()]), 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
