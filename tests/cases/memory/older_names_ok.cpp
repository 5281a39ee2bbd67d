// A pipe that ends without waiting, a profiler's marks, and atomic sums by configuration.
// launch: blocks=1 args=inout:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe first;
  TBuf<QuePosition::VECCALC> all;
  first.InitBuffer(all, 190 * 1024);
  first.DestroyWithoutPipeAll();
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();
  MetricsProfStart();
  TRACE_START(0x2);
  Duplicate(t, 1.0f, 64);
  TRACE_STOP(0x2);
  MetricsProfStop();
  PrintTimeStamp(65577);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
  PipeBarrier<PIPE_MTE3>();
  SetStoreAtomicConfig<AtomicDtype::ATOMIC_F32, AtomicOp::ATOMIC_SUM>();
  DataCopy(yGm, t, 64);
  SetStoreAtomicConfig<AtomicDtype::ATOMIC_NONE, AtomicOp::ATOMIC_SUM>();
  PipeBarrier<PIPE_ALL>();
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(yGm);
  assert(yGm.GetValue(0) == 2.0f && yGm.GetValue(63) == 2.0f);
}
