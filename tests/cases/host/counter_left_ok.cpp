// The TPipe of the second kernel puts back what the first has left on: its mask is one of each repeat.
// program
// expect: warning:AK1306
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

__global__ __aicore__ void first(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 128);
  LocalTensor<float> t(TPosition::VECCALC, 0, 128);
  SetMaskCount();  // <-- warning:AK1306
  SetVectorMask<float, MaskMode::COUNTER>(128);
  Duplicate<float, false>(t, 1.0f, MASK_PLACEHOLDER, 1, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 128);
}

__global__ __aicore__ void second(GM_ADDR z) {
  TPipe pipe;
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 128);
  LocalTensor<float> t(TPosition::VECCALC, 0, 128);
  Duplicate(t, 1.0f, 128);
  Duplicate(t, 2.0f, 64, 2, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(zGm, t, 128);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  void *y = nullptr, *z = nullptr;
  float out[128];
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&z, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  first<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(y));
  second<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(z));
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(out, sizeof out, z, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(y);
  aclrtFree(z);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return out[63] == 2 && out[64] == 2 ? 0 : 1;
}
