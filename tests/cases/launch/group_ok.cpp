// One core arrives and one waits.
// launch: blocks=1 args=out:f32[64],inout:i32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR work) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  WriteGmByPassDCache<uint32_t>((__gm__ uint32_t *)work, 0);
  GroupBarrier<PipeMode::MTE3_MODE> barrier(work, 1, 1);
  barrier.Arrive(0);
  barrier.Wait(0);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
