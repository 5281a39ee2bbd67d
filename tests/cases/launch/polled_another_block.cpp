// The flag of one block says nothing of what another one wrote.
// launch: blocks=3 args=out:f32[8],out:f32[8],inout:i32[16]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR z, GM_ADDR f) {
  GlobalTensor<float> yGm, zGm;
  GlobalTensor<int32_t> flag;
  yGm.SetGlobalBuffer((__gm__ float *)y, 8);
  zGm.SetGlobalBuffer((__gm__ float *)z, 8);
  flag.SetGlobalBuffer((__gm__ int32_t *)f, 16);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  LocalTensor<float> t = buf.Get<float>();

  if (GetBlockIdx() == 1) {
    flag.SetValue(0, 77);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(flag);
    return;
  }
  if (GetBlockIdx() == 2) {
    Duplicate(t, 1.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, t, 8);
    return;
  }
  do {
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(flag);
  } while (flag.GetValue(0) != 77);
  DataCopy(t, yGm, 8);  // <-- AK1201
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(zGm, t, 8);
}
