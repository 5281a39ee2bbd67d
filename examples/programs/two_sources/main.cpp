// A program whose kernels have a source of their own, launched in both ways that the toolkit has for that.
//   akgen exec examples/programs/two_sources/main.cpp examples/programs/two_sources/kernels.cpp
#include <cstdio>
#include <vector>

#include "tiling.h"
#ifndef ASCENDC_CPU_DEBUG
#include "acl/acl.h"
#include "aclrtlaunch_scale.h"
extern "C" void powers_do(uint32_t blocks, void* l2ctrl, void* stream, uint8_t* y, ScaleTiling* tiling);
#else
#include "tikicpulib.h"
#endif

int main() {
  constexpr uint32_t kBlocks = 4, kCount = 512, kValues = kBlocks * kCount;
  std::vector<float> x(kValues), y(kValues), powers(16);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.5f * float(i);
  ScaleTiling tiling{kCount, 3.0f};

  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  uint8_t *x_device = nullptr, *y_device = nullptr, *powers_device = nullptr;
  aclrtMalloc((void**)&x_device, kValues * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&y_device, kValues * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&powers_device, 16 * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(x_device, kValues * sizeof(float), x.data(), kValues * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE);
  ACLRT_LAUNCH_KERNEL(scale)(kBlocks, stream, x_device, y_device, &tiling);
  powers_do(1, nullptr, stream, powers_device, &tiling);
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(y.data(), kValues * sizeof(float), y_device, kValues * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtMemcpy(powers.data(), 16 * sizeof(float), powers_device, 16 * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(x_device);
  aclrtFree(y_device);
  aclrtFree(powers_device);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();

  int wrong = 0;
  for (size_t i = 0; i < y.size(); ++i) wrong += y[i] != 3.0f * x[i];
  for (size_t i = 0; i < powers.size(); ++i) wrong += powers[i] != 3.0f * float(1 << i);
  std::printf("%d values are wrong\n", wrong);
  return wrong != 0;
}
