// The kernel that a constant holds runs on a Cube core, and stores behind its tensor.
// program
// expect: AK1002
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ void Store(GM_ADDR y, int32_t value) {
  GlobalTensor<int32_t> yGm;
  yGm.SetGlobalBuffer((__gm__ int32_t *)y, 16);
  yGm.SetValue(8, value);  // <-- AK1002
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yGm);
}

__global__ __cube__ void one(GM_ADDR y) { Store(y, 1); }

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
  Launch<42>(y);
  aclrtSynchronizeStream(nullptr);
  int32_t first = 0;
  aclrtMemcpy(&first, sizeof first, y, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(y);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
