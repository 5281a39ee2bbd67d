// The Cube core already waits for all when the Vector cores meet among themselves: these are two meetings.
// launch: blocks=1 args=in:f16[2048],in:f16[3072],inout:f32[1536],out:f32[1536]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out) {
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  constexpr uint16_t kM = 32, kN = 48, kK = 64;
  if ASCEND_IS_AIC {
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
    FixpipeParamsV220 how(kN, kM, kM, kN, false);
    Fixpipe(zGm, c, how);
    PipeBarrier<PIPE_ALL>();
    SyncAll<false>();
  }
  if ASCEND_IS_AIV {
    GlobalTensor<float> outGm;
    outGm.SetGlobalBuffer((__gm__ float *)out);
    const uint32_t half_of_it = kM * kN / 2, at = GetSubBlockIdx() * half_of_it;
    LocalTensor<float> v(TPosition::VECCALC, 0, kM * kN / 2);
    SyncAll();
    SyncAll<false>();
    DataCopy(v, zGm[at], half_of_it);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Relu(v, v, half_of_it);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(outGm[at], v, half_of_it);
  }
}
