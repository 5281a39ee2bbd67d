// Each block copies the flags of all in again and again, and has set its own before its data were out: who sees it
// knows nothing of them.
// launch: blocks=4 args=out:f32[32],out:f32[32],inout:u8[32]
// expect: AK1201
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR z, GM_ADDR f) {
  GlobalTensor<float> yGm, zGm;
  GlobalTensor<uint8_t> flags;
  yGm.SetGlobalBuffer((__gm__ float *)y, 32);
  zGm.SetGlobalBuffer((__gm__ float *)z, 32);
  flags.SetGlobalBuffer((__gm__ uint8_t *)f, 32);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf, seen;
  pipe.InitBuffer(buf, 32);
  pipe.InitBuffer(seen, 32);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<uint8_t> s = seen.Get<uint8_t>();
  const int32_t me = GetBlockIdx(), other = (me + 1) % GetBlockNum();

  Duplicate(t, 1.0f + me, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  s.SetValue(0, 77);
  DataCopyPad(flags[me], s, {1, 1, 0, 0, 0});
  SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
  DataCopy(yGm[me * 8], t, 8);
  for (bool all = false; !all;) {
    DataCopyPad(s, flags, {1, uint32_t(GetBlockNum()), 0, 0, 0}, {true, 0, 0, 0});
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    all = true;
    for (int32_t i = 0; i < GetBlockNum(); ++i) all = all && s.GetValue(i) == 77;
  }
  SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  DataCopy(t, yGm[other * 8], 8);  // <-- AK1201
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(zGm[other * 8], t, 8);
}
