// LoadDataWithTranspose turns squares of 32 elements of int8_t.
// launch: blocks=1 args=in:i8[2048],in:i8[3072],inout:i32[1536]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<int8_t> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ int8_t *)x);
  yGm.SetGlobalBuffer((__gm__ int8_t *)y);
  GlobalTensor<int32_t> zGm;
  zGm.SetGlobalBuffer((__gm__ int32_t *)z);
  constexpr uint16_t kM = 32, kN = 48, kK = 64;
  LocalTensor<int8_t> a1(TPosition::A1, 0, kM * kK);
  LocalTensor<int8_t> b1(TPosition::B1, 65536, kK * kN);
  LocalTensor<int8_t> a2(TPosition::A2, 0, kM * kK);
  LocalTensor<int8_t> b2(TPosition::B2, 0, kK * kN);
  LocalTensor<int32_t> c(TPosition::CO1, 0, kM * kN);

  DataCopy(a1, xGm, Nd2NzParams{1, kM, kK, 0, kK, kM, 1, 0});
  DataCopy(b1, yGm, Nd2NzParams{1, kK, kN, 0, kN, kK, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  LoadDataWithTranspose(b2, b1, LoadData2dTransposeParams{0, 1, 1, 1, 0});
}
