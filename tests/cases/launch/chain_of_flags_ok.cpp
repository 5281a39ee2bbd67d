// Each block waits for the one before it: the last reads what the first wrote, known through the one between.
// launch: blocks=3 args=out:f32[24],out:f32[8],inout:i32[384]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR z, GM_ADDR ws) {
  GlobalTensor<float> yGm, zGm;
  GlobalTensor<int32_t> flags;
  yGm.SetGlobalBuffer((__gm__ float *)y, 24);
  zGm.SetGlobalBuffer((__gm__ float *)z, 8);
  flags.SetGlobalBuffer((__gm__ int32_t *)ws, 384);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, sync;
  pipe.InitBuffer(buf, 32);
  pipe.InitBuffer(sync, 3 * 32 * 8);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<int32_t> work = sync.Get<int32_t>();
  int32_t me = GetBlockIdx();
  if (me == 0) InitOutput<int32_t>(flags, 384, 0);
  SyncAll();

  Duplicate(t, 1.0f, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm[me * 8], t, 8);
  PipeBarrier<PIPE_ALL>();
  if (me > 0) IBWait(flags, work, me - 1, 0);
  if (me < 2) IBSet(flags, work, me, 0);
  if (me < 2) return;
  DataCopy(t, yGm, 8);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(zGm, t, 8);
}
