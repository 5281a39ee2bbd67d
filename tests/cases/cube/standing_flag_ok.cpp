// The TPipe of a Cube core has set flags 0 to 2 of M to MTE1: a loop may begin with the wait.
// launch: blocks=1 args=in:f16[256],in:f16[256],out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  constexpr uint16_t kSide = 16, kElements = kSide * kSide;
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  TPipe pipe;
  TBuf<TPosition::A1> bufA1;
  TBuf<TPosition::B1> bufB1;
  TBuf<TPosition::A2> bufA2;
  TBuf<TPosition::B2> bufB2;
  TBuf<TPosition::CO1> bufC;
  pipe.InitBuffer(bufA1, kElements * sizeof(half));
  pipe.InitBuffer(bufB1, kElements * sizeof(half));
  pipe.InitBuffer(bufA2, kElements * sizeof(half));
  pipe.InitBuffer(bufB2, kElements * sizeof(half));
  pipe.InitBuffer(bufC, kElements * sizeof(float));
  LocalTensor<half> a1 = bufA1.Get<half>(), b1 = bufB1.Get<half>(), a2 = bufA2.Get<half>(), b2 = bufB2.Get<half>();
  LocalTensor<float> c = bufC.Get<float>();
  DataCopy(a1, xGm, Nd2NzParams{1, kSide, kSide, 0, kSide, kSide, 1, 0});
  DataCopy(b1, yGm, Nd2NzParams{1, kSide, kSide, 0, kSide, kSide, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  for (int i = 0; i < 2; ++i) {
    WaitFlag<HardEvent::M_MTE1>(EVENT_ID2);
    LoadData(a2, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
    LoadData(b2, b1, LoadData2DParams{0, 1, 1, 0, 0, true, 0});
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams params{kSide, kSide, kSide, 0, false, i == 0};
    Mmad(c, a2, b2, params);
    PipeBarrier<PIPE_M>();
    SetFlag<HardEvent::M_MTE1>(EVENT_ID2);
  }
  SetFlag<HardEvent::M_FIX>(EVENT_ID0);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
  Fixpipe(zGm, c, FixpipeParamsV220(kSide, kSide, kSide, kSide, false));
}
