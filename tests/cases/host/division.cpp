// Divisions by zero in a kernel of a program, signed and not, quotient and remainder: found, and the launch goes on.
// program
// expect: AK1504
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__aicore__ inline int32_t Both(T a, T b) {
  const T quotient = a / b, rest = a % b;  // <-- AK1504
  return int32_t(quotient) + int32_t(rest);
}

__global__ __aicore__ void divide(GM_ADDR y, int32_t zero) {
  GlobalTensor<int32_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int32_t *)y, 16);
  yGm.SetValue(0, Both<int32_t>(7, zero));
  yGm.SetValue(1, Both<uint64_t>(7, uint64_t(zero)));
  yGm.SetValue(2, 42);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yGm);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  void *y = nullptr;
  int32_t out[16] = {1, 1, 1};
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(y, sizeof out, out, sizeof out, ACL_MEMCPY_HOST_TO_DEVICE);
  divide<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(y), 0);
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(y);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return out[0] == 0 && out[1] == 0 && out[2] == 42 ? 0 : 1;
}
