// The mask has a bit for each of 64 elements in each of four repeats: 32 bytes.
// launch: blocks=1 args=out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, mask, behind;
  pipe.InitBuffer(buf, 8192);
  pipe.InitBuffer(mask, 32);
  pipe.InitBuffer(behind, 32);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  Duplicate(behind.Get<float>(), 1.0f, 8);
  LocalTensor<uint8_t> bits = mask.Get<uint8_t>();
  Compare(bits, t[512], t[1024], CMPMODE::LT, 256);
  PipeBarrier<PIPE_V>();
  Select(t, bits, t[512], t[1024], SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 4, {1, 1, 1, 8, 8, 8});
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 256);
}
