// A kernel of Vector cores that names its type.
// launch: blocks=4 args=in:f32[1024],out:f32[1024]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  if ASCEND_IS_AIV {
    constexpr uint32_t kPart = 256;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, kPart * sizeof(float));
    GlobalTensor<float> xGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * kPart, kPart);
    zGm.SetGlobalBuffer((__gm__ float *)z + GetBlockIdx() * kPart, kPart);
    LocalTensor<float> t = buffer.Get<float>();
    DataCopy(t, xGm, kPart);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(t, t, 1.0f, kPart);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm, t, kPart);
  }
}
