// The scalar unit reaches neither L0C nor L1.
// launch: blocks=1 args=in:f16[2048],in:f16[3072],out:f32[1536]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  constexpr uint16_t kM = 32, kN = 48, kK = 64;
  LocalTensor<half> a1(TPosition::A1, 0, kM * kK);
  LocalTensor<half> b1(TPosition::B1, 65536, kK * kN);
  LocalTensor<half> a2(TPosition::A2, 0, kM * kK);
  LocalTensor<half> b2(TPosition::B2, 0, kK * kN);
  LocalTensor<float> c(TPosition::CO1, 0, kM * kN);

  DataCopy(a1, xGm, Nd2NzParams{1, kM, kK, 0, kK, kM, 1, 0});
  DataCopy(b1, yGm, Nd2NzParams{1, kK, kN, 0, kN, kK, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  for (int i = 0; i < kM / 16; ++i)
    LoadData(a2[i * kK * 16], a1[i * 256], LoadData2DParams{0, kK / 16, kM / 16, 0, 0, false, 0});
  for (int i = 0; i < kK / 16; ++i)
    LoadData(b2[i * kN * 16], b1[i * 256], LoadData2DParams{0, kN / 16, kK / 16, 0, 0, true, 0});
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  Mmad(c, a2, b2, MmadParams{kM, kN, kK, 0, false, true});
  SetFlag<HardEvent::M_FIX>(EVENT_ID0);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
  if (c.GetValue(0) > 1e30f) return;  // <-- AK1504
  FixpipeParamsV220 out(kN, kM, kM, kN, false);
  Fixpipe(zGm, c, out);
}
