// A tensor of LocalMemAllocator has 40 elements; an instruction takes 128, the next tensor's too.
// launch: blocks=1 args=in:f32[40],in:f32[128],out:f32[128]
// expect: AK1003
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<float> xGm, yGm, zGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 40);
  yGm.SetGlobalBuffer((__gm__ float *)y, 128);
  zGm.SetGlobalBuffer((__gm__ float *)z, 128);
  LocalMemAllocator<Hardware::UB> room;
  LocalTensor<float> a = room.Alloc<TPosition::VECIN, float, 40>();
  LocalTensor<float> b = room.Alloc<TPosition::VECIN, float>(128);
  DataCopy(a, xGm, 40);
  DataCopy(b, yGm, 128);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(a, a, 2.0f, 128);  // <-- AK1003
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(zGm, b, 128);
}
