// Divisions that have a result on a core, the least number by -1 among them.
// program
// expect: clean
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__aicore__ inline int32_t Both(T a, T b) {
  const T quotient = a / b, rest = a % b;
  return int32_t(quotient) + int32_t(rest);
}

__global__ __aicore__ void divide(GM_ADDR y, int32_t one) {
  GlobalTensor<int32_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int32_t *)y, 16);
  yGm.SetValue(0, Both<int32_t>(INT32_MIN, -one));
  yGm.SetValue(1, Both<int64_t>(-7, 2 * one));
  yGm.SetValue(2, Both<uint32_t>(7, 2 * one));
  yGm.SetValue(3, Both<int32_t>(7, -one));
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
  divide<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(y), 1);
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(y);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return out[0] == INT32_MIN && out[1] == -4 && out[2] == 4 && out[3] == -7 ? 0 : 1;
}
