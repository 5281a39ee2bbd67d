// A tensor of TensorTrait has elements of their own size: 512 of 16 bits end at 1,024 bytes.
// launch: blocks=1 args=in:i16[512],out:i16[512]
// expect: AK1003
#include "kernel_operator.h"
#include "kernel_operator_tensor_trait.h"
using namespace AscendC;
using Short = TensorTrait<int16_t>;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<Short> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ int16_t *)x);
  yGm.SetGlobalBuffer((__gm__ int16_t *)y);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> first, second;
  pipe.InitBuffer(first, 512 * sizeof(int16_t));
  pipe.InitBuffer(second, 512 * sizeof(int16_t));
  LocalTensor<Short> dst = first.Get<Short>();
  DataCopy(dst, xGm, 512);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  LocalTensor<TensorTrait<half>> half16 = dst.ReinterpretCast<TensorTrait<half>>();
  Relu(half16, half16, 528);  // <-- AK1003
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, dst, 512);
}
