// A kernel of a program casts a bfloat16 on the scalar unit, which the compiler for the chip refuses. Host code may.
// program
// expect: AK1504
#include "acl/acl.h"
#include "kernel_operator.h"

__global__ __aicore__ void copy_one(GM_ADDR x, GM_ADDR y) {
  AscendC::GlobalTensor<bfloat16_t> xGm;
  AscendC::GlobalTensor<float> yGm;
  xGm.SetGlobalBuffer((__gm__ bfloat16_t *)x, 32);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  AscendC::LocalTensor<float> t(AscendC::TPosition::VECCALC, 0, 64);
  AscendC::Duplicate(t, (float)xGm.GetValue(3), 64);  // <-- AK1504
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(yGm, t, 64);
}

int main(int argc, char **) {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  void *x = nullptr, *y = nullptr;
  bfloat16_t in[32];
  for (bfloat16_t &v : in) v = bfloat16_t(float(argc));
  float out[64];
  aclrtMalloc(&x, sizeof in, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(x, sizeof in, in, sizeof in, ACL_MEMCPY_HOST_TO_DEVICE);
  copy_one<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(x), reinterpret_cast<uint8_t *>(y));
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(x);
  aclrtFree(y);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return out[0] == float(in[3]) ? 0 : 1;
}
