// The first kernel leaves atomic copies on; the second, without a TPipe, runs next on the same core and adds where it
// means to store.
// program
// expect: AK1306 warning:AK1306
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

__global__ __aicore__ void accumulate(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  LocalTensor<float> t(TPosition::VECCALC, 0, 64);
  Duplicate(t, 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  SetAtomicAdd<float>();  // <-- AK1306
  DataCopy(yGm, t, 64);
}

__global__ __aicore__ void store(GM_ADDR z) {
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z, 64);
  LocalTensor<float> t(TPosition::VECCALC, 0, 64);
  Duplicate(t, 2.0f, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(zGm, t, 64);  // <== AK1306
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  void *y = nullptr, *z = nullptr;
  float out[64];
  for (float &v : out) v = 5;
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&z, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(y, sizeof out, out, sizeof out, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(z, sizeof out, out, sizeof out, ACL_MEMCPY_HOST_TO_DEVICE);
  accumulate<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(y));
  store<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(z));
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(out, sizeof out, z, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(y);
  aclrtFree(z);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return out[0] == 7 ? 0 : 1;
}
