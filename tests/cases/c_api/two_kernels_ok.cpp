// Two kernels of one program, each with more than half of the Unified Buffer: they never run in it together.
// program
// expect: clean
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "c_api/asc_simd.h"

constexpr uint32_t kElements = 30000;

template <int times>
__vector__ __global__ void scale(__gm__ float* x) {
  asc_init();
  __ubuf__ float a[kElements];
  asc_copy_gm2ub_sync(a, x, sizeof(a));
  asc_mul_scalar_sync(a, a, times, kElements);
  asc_copy_ub2gm_sync(x, a, sizeof(a));
}

__vector__ __global__ void shift(__gm__ float* x, float by) {
  asc_init();
  __ubuf__ float a[kElements];
  asc_copy_gm2ub_sync(a, x, sizeof(a));
  asc_add_scalar_sync(a, a, by, kElements);
  asc_copy_ub2gm_sync(x, a, sizeof(a));
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  std::vector<float> host(kElements);
  for (uint32_t i = 0; i < kElements; ++i) host[i] = i;
  const size_t bytes = kElements * sizeof(float);
  float* device = nullptr;
  aclrtMalloc((void**)&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(device, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  scale<2><<<1, nullptr, nullptr>>>(device);
  shift<<<1, nullptr, nullptr>>>(device, 1.0f);
  scale<3><<<1, nullptr, nullptr>>>(device);
  aclrtSynchronizeDevice();
  aclrtMemcpy(host.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  for (uint32_t i = 0; i < kElements; ++i)
    if (host[i] != (i * 2.0f + 1.0f) * 3.0f) return 1;
  aclrtFree(device);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
