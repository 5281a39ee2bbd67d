// An odd k of elements of four bits.
// launch: blocks=1 args=in:i8[1024],in:i8[1024],out:i32[256]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<int8_t> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ int8_t *)x);
  yGm.SetGlobalBuffer((__gm__ int8_t *)y);
  GlobalTensor<int32_t> zGm;
  zGm.SetGlobalBuffer((__gm__ int32_t *)z);
  constexpr uint16_t kM = 16, kN = 16, kK = 128;
  LocalTensor<int8_t> a1(TPosition::A1, 0, kM * kK / 2), b1(TPosition::B1, 65536, kN * kK / 2);
  LocalTensor<int4b_t> a2(TPosition::A2, 0, kM * kK), b2(TPosition::B2, 0, kN * kK);
  LocalTensor<int32_t> c(TPosition::CO1, 0, kM * kN);

  DataCopy(a1, xGm, Nd2NzParams{1, kM, kK / 2, 0, kK / 2, kM, 1, 0});
  DataCopy(b1, yGm, Nd2NzParams{1, kN, kK / 2, 0, kK / 2, kN, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  LoadData(a2, a1.ReinterpretCast<int4b_t>(), LoadData2DParams{0, kK / 64, 1, 0, 0, false, 0});
  LoadData(b2, b1.ReinterpretCast<int4b_t>(), LoadData2DParams{0, kK / 64, 1, 0, 0, false, 0});
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  Mmad(c, a2, b2, MmadParams{kM, kN, kK - 1, 0, false, true});  // <-- AK1504
  SetFlag<HardEvent::M_FIX>(EVENT_ID0);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
  FixpipeParamsV220 out(kN, kM, kM, kN, false);
  Fixpipe(zGm, c, out);
}
