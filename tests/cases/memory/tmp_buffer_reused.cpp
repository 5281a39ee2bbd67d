// The temporary buffer of Sin holds data that is used afterwards: all of the working space that the function documents
// for 256 floats, three times 1024 bytes, is lost.
// launch: blocks=1 args=in:f32[256],out:f32[256]
// expect: AK1102
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 256);
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 5 * 1024);
  LocalTensor<float> t = buf.Get<float>(), scratch = t[512];
  DataCopy(t, xGm, 256);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Duplicate(scratch[512], 1.0f, 256);
  PipeBarrier<PIPE_V>();
  LocalTensor<uint8_t> tmp = scratch.ReinterpretCast<uint8_t>();
  Sin(t[256], t, tmp, 256);
  PipeBarrier<PIPE_V>();
  Add(t, t[256], scratch[512], 256);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 256);
}
