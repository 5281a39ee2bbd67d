// The host brings 64 values of which 60 are results; the rest is what lay in UB beside them, and it may leave it alone.
// program
// expect: warning:AK1102
#include "acl/acl.h"
#include "kernel_operator.h"

__global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {
  AscendC::GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 64);
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 512);
  AscendC::LocalTensor<float> t = buf.Get<float>(), u = t[64];
  AscendC::DataCopy(t, xGm, 64);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::Add(u, t, t, 60);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(yGm, u, 64);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *x = nullptr, *y = nullptr;
  float in[64] = {1}, out[64];
  aclrtMalloc(&x, sizeof in, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(x, sizeof in, in, sizeof in, ACL_MEMCPY_HOST_TO_DEVICE);
  twice<<<1, nullptr, nullptr>>>(reinterpret_cast<uint8_t *>(x), reinterpret_cast<uint8_t *>(y));
  aclrtSynchronizeDevice();
  aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(x);
  aclrtFree(y);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
