// GetDesc has no address for the shape.
// launch: blocks=1 args=out:f32[64],inout:i64[8]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR list) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  GlobalTensor<uint64_t> listGm;
  listGm.SetGlobalBuffer((__gm__ uint64_t *)list, 8);
  listGm.SetValue(0, 24);                     // the addresses begin after so many bytes
  listGm.SetValue(1, (uint64_t{1} << 32) | 1);  // one tensor, one dimension
  listGm.SetValue(2, 64);
  listGm.SetValue(3, reinterpret_cast<uint64_t>(y));
  ListTensorDesc tensors((__gm__ void *)list);
  TensorDesc<float> desc;
  tensors.GetDesc(desc, 0);  // <-- AK1504
  listGm.SetValue(3, 0);  // an address is another one at every run
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
