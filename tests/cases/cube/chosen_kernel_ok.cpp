// A program of which all kernels start the same cores may launch one that a constant holds, and any by its name.
// program
// expect: clean
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ void Store(GM_ADDR y, int32_t value) {
  GlobalTensor<int32_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int32_t *)y, 16);
  yGm.SetValue(0, value);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yGm);
}

__global__ __cube__ void one(GM_ADDR y) { Store(y, 1); }

#define KERNEL(name) __global__ __aicore__ void name(GM_ADDR y)
KERNEL(made) { Store(y, g_coreType == AIV ? 42 : 0); }

template <int kValue>
__global__ __cube__ void other(GM_ADDR y) {
  Store(y, kValue);
}

template <int kValue>
void Launch(void *y) {
  constexpr auto chosen = []() {
    if constexpr (kValue > 1) {
      return other<kValue>;
    } else {
      return one;
    }
  }();
  chosen<<<1, nullptr, nullptr>>>((uint8_t *)y);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *y;
  aclrtMalloc(&y, 32, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(y, 32, 0, 32);
  Launch<1>(y);
  Launch<41>(y);
  aclrtSynchronizeStream(nullptr);
  int32_t before = 0, after = 0;
  aclrtMemcpy(&before, sizeof before, y, sizeof before, ACL_MEMCPY_DEVICE_TO_HOST);
  made<<<1, nullptr, nullptr>>>((uint8_t *)y);
  aclrtSynchronizeStream(nullptr);
  aclrtMemcpy(&after, sizeof after, y, sizeof after, ACL_MEMCPY_DEVICE_TO_HOST);
  if (before != 41 || after != 42) aclrtFree(&after);  // a finding, which is what cases are compared by
  aclrtFree(y);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
