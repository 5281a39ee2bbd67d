// Facts of the chip for tilings, as the operator-base library has them.
#ifndef AKGEN_OP_COMMON_OP_HOST_UTIL_PLATFORM_UTIL_H
#define AKGEN_OP_COMMON_OP_HOST_UTIL_PLATFORM_UTIL_H
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {
template <typename T>
bool AkgenHasPlatform(const T* context) {
  return context != nullptr && const_cast<T*>(context)->GetPlatformInfo() != nullptr;
}
template <typename T>
platform_ascendc::PlatformAscendC AkgenPlatform(const T* context) {
  return platform_ascendc::PlatformAscendC(const_cast<T*>(context)->GetPlatformInfo());
}
// 0 where the context has no platform.
template <typename T>
uint32_t GetAivCoreNum(const T* context) {
  return AkgenHasPlatform(context) ? AkgenPlatform(context).GetCoreNumAiv() : 0;
}
template <typename T>
uint32_t GetAicCoreNum(const T* context) {
  return AkgenHasPlatform(context) ? AkgenPlatform(context).GetCoreNumAic() : 0;
}
template <typename T>
uint32_t GetUbSize(const T* context) {
  uint64_t bytes = 0;
  if (AkgenHasPlatform(context))
    AkgenPlatform(context).GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
  return static_cast<uint32_t>(bytes);
}
template <typename T>
uint32_t GetWorkspaceSize(const T* context) {
  return AkgenHasPlatform(context) ? AkgenPlatform(context).GetLibApiWorkSpaceSize() : 0;
}
// Bytes of a DataBlock, of a vector register, of a cache line.
template <typename T>
uint32_t GetUbBlockSize(const T*) {
  return 32;
}
template <typename T>
uint32_t GetVRegSize(const T*) {
  return 256;
}
template <typename T>
uint32_t GetCacheLineSize(const T*) {
  return 256;
}
}  // namespace Base
}  // namespace Ops
#endif
