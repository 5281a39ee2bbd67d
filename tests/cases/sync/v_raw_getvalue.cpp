// GetValue after a vector instruction on plain pointers: the compiler sees only one of the two.
// launch: blocks=1 args=out:f32[256]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  __ubuf__ float *raw = (__ubuf__ float *)t.GetPhyAddr();
  set_mask_norm();
  set_vector_mask(0, 0xffffffffffffffff);
  vector_dup(raw, 1.0f, 4, 1, 1, 8, 0);
  float first = t.GetValue(0);  // <-- AK1201
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 256);
  if (first < 0) Trap();
}
