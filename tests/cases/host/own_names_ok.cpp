// A program has names of dtypes for its own: they are macros in kernels of operators alone.
// program
// expect: clean
#include "acl/acl.h"
#include "kernel_operator.h"

enum PrintType { DT_UNDEFINED = -1, DT_FLOAT, DT_BF16 = 27, FORMAT_ND };

__global__ __aicore__ void fill(GM_ADDR y) {
  AscendC::GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  AscendC::LocalTensor<float> a = buf.Get<float>();
  AscendC::Duplicate(a, float(DT_BF16), 64);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(yGm, a, 64);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *y = nullptr;
  float out[64];
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  fill<<<1, nullptr, nullptr>>>(reinterpret_cast<uint8_t *>(y));
  aclrtSynchronizeStream(nullptr);
  aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  if (out[63] != DT_FLOAT + 27 || DT_UNDEFINED != -1)
    aclrtFree(&out);  // a finding, which is what cases are compared by
  aclrtFree(y);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
