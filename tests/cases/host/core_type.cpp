// What a Cube core alone does, past the end of a tensor.
// program
// expect: AK1002
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
#if !defined(__CCE__)
#error "a source with kernels"
#endif
#define BOTH __forceinline__[host, aicore]
BOTH int32_t Twice(int32_t n) { return 2 * n; }

template <int32_t kType = g_coreType>
struct Work {
  __aicore__ static inline void Run(GM_ADDR) {}
};
template <>
struct Work<AIC> {
  __aicore__ static inline void Run(GM_ADDR y) {
    GlobalTensor<int32_t> yGm;
    yGm.SetGlobalBuffer((__gm__ int32_t *)y, 8);
    yGm.SetValue(0, Twice(21));
    yGm.SetValue(64, 1);  // <-- AK1002
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yGm);
  }
};

__global__ __mix__(1, 2) void named(GM_ADDR y) { Work<>::Run(y); }

template <typename T>
__global__ __aicore__ void used(GM_ADDR x) {
  TPipe pipe;
  TQue<TPosition::A1, 1> queue;
  pipe.InitBuffer(queue, 1, 256 * sizeof(T));
  GlobalTensor<T> xGm;
  xGm.SetGlobalBuffer((__gm__ T *)x, 256);
  LocalTensor<T> t = queue.AllocTensor<T>();
  DataCopy(t, xGm, 256);
  queue.FreeTensor(t);
}

template <typename T>
void Launch(void *x, aclrtStream stream) {
  used<T><<<1, nullptr, stream>>>((uint8_t *)x);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream;
  aclrtCreateStream(&stream);
  void *x, *y;
  aclrtMalloc(&x, 1024, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, 32, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(x, 1024, 0, 1024);
  aclrtMemset(y, 32, 0, 32);
  named<<<1, nullptr, stream>>>((uint8_t *)y);
  Launch<half>(x, stream);
  Launch<float>(x, stream);
  aclrtSynchronizeStream(stream);
  int32_t first = 0;
  aclrtMemcpy(&first, sizeof first, y, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(x);
  aclrtFree(y);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return first == 42 ? 0 : 1;
}
