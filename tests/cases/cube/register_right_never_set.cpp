// LoadData of an image that takes its shape from the right register, of which only the left one was set.
// launch: blocks=1 args=in:f16[2048],in:f16[3072],inout:f32[1536]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

constexpr IsResetLoad3dConfig kOfRegister = {false, true};

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
  const uint8_t padding[4] = {0, 0, 0, 0};
  SetFmatrix(1, kM, padding, FmatrixMode::FMATRIX_LEFT);
  LoadData3DParamsV2<half> rows;
  rows.channelSize = kK;
  rows.kExtension = kK;
  rows.mExtension = kM;
  rows.fMatrixCtrl = true;
  LoadData<half, kOfRegister>(a2, a1, rows);  // <-- AK1504
}
