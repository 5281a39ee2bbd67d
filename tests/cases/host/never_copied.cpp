// The input is never copied to the device; that memory happens to read as zero.
// program
// expect: AK1102
#include "acl/acl.h"
#include "kernel_operator.h"

__global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {
  AscendC::GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  AscendC::LocalTensor<float> t = buf.Get<float>();
  AscendC::DataCopy(t, xGm, 64);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::Add(t, t, t, 64);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(yGm, t, 64);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *x = nullptr, *y = nullptr;
  float in[64] = {1}, out[64];
  aclrtMalloc(&x, sizeof in, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  twice<<<1, nullptr, nullptr>>>(reinterpret_cast<uint8_t *>(x), reinterpret_cast<uint8_t *>(y));
  aclrtSynchronizeDevice();
  aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);  // <-- AK1102
  aclrtFree(x);
  aclrtFree(y);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
