// printf, assert and dumps. Text is formatted here, without the C library, and handed to the
// simulator.
#ifndef ASCENDC_KERNEL_DEBUG_H
#define ASCENDC_KERNEL_DEBUG_H
#include "kernel/format.h"
#include "kernel/tensor.h"

template <typename... Args>
__aicore__ inline void printf(const char* fmt, Args... args) {
  const AkgenFormatArg list[] = {AkgenMakeArg(args)..., AkgenFormatArg{}};
  AkgenFormatter out;
  out.Format(fmt, list, sizeof...(args));
  akgen_print(out.text(), out.size());
}
template <typename... Args>
__aicore__ inline void PRINTF(const char* fmt, Args... args) {
  printf<Args...>(fmt, args...);
}
inline void AkgenAssertFail(const char* expr, const char* file, int32_t line) {
  akgen_assert_fail(expr, file, line, "");
}
template <typename... Args>
inline void AkgenAssertFail(const char* expr, const char* file, int32_t line, const char* fmt,
                            Args... args) {
  const AkgenFormatArg list[] = {AkgenMakeArg(args)..., AkgenFormatArg{}};
  AkgenFormatter out;
  out.Format(fmt, list, sizeof...(args));
  akgen_assert_fail(expr, file, line, out.text());
}
// Marks in the toolkit's simulator's trace; off by default there.
#define TRACE_START(...)
#define TRACE_STOP(...)
#undef assert
#define assert(expr, ...)  \
  (static_cast<bool>(expr) \
       ? void(0)           \
       : AkgenAssertFail(#expr, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__))
#define ascendc_assert(...) assert(__VA_ARGS__)

namespace AscendC {
using ::printf;
using ::PRINTF;

// What a profiler is told: which part of a kernel to look at. There is none here.
__aicore__ inline void MetricsProfStart() {}
__aicore__ inline void MetricsProfStop() {}
// Off, as in the toolkit, where the build does not define this name.
__aicore__ inline void PrintTimeStamp([[maybe_unused]] uint32_t descId) {
#if defined(ASCENDC_TIME_STAMP_ON)
  printf("descId is %u, rsv is 0, timeStamp is %lu, pcPtr is 0, entry is 0.\n", descId,
         akgen_system_cycle());
#endif
}

// Where the toolkit collects dumps; here they need no place.
__aicore__ inline void InitDump(bool mixFlag, uint32_t gmLen) {}
__aicore__ inline void InitDump(bool mixFlag, GM_ADDR dumpStartAddr, uint32_t gmLen) {}
template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize) {
  akgen_dump_tensor(tensor.AkgenPtr(), desc, dumpSize, AkgenDtypeOf<T>::value, nullptr, 0);
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize) {
  akgen_dump_tensor(tensor.AkgenPtr(), desc, dumpSize, AkgenDtypeOf<T>::value, nullptr, 0);
}
template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                                  const ShapeInfo& shapeInfo) {
  akgen_dump_tensor(tensor.AkgenPtr(), desc, dumpSize, AkgenDtypeOf<T>::value, shapeInfo.shape,
                    shapeInfo.shapeDim);
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                                  const ShapeInfo& shapeInfo) {
  akgen_dump_tensor(tensor.AkgenPtr(), desc, dumpSize, AkgenDtypeOf<T>::value, shapeInfo.shape,
                    shapeInfo.shapeDim);
}
// countOff is the first element that is dumped.
template <typename T>
__aicore__ inline void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index,
                                       uint32_t countOff, uint32_t dumpSize) {
  DumpTensor(tensor[countOff], index, dumpSize);
}
template <typename T>
__aicore__ inline void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index,
                                       uint32_t countOff, uint32_t dumpSize) {
  DumpTensor(tensor[countOff], index, dumpSize);
}
}  // namespace AscendC

// Dumps by address.
#define AKGEN_DUMP(name)                                                                  \
  template <typename T>                                                                   \
  __aicore__ inline void name(const T* address, uint32_t desc, uint32_t count) {          \
    akgen_dump_tensor(address, desc, count, AscendC::AkgenDtypeOf<T>::value, nullptr, 0); \
  }
AKGEN_DUMP(asc_dump_gm)
AKGEN_DUMP(asc_dump_ubuf)
AKGEN_DUMP(asc_dump_l1buf)
AKGEN_DUMP(asc_dump_cbuf)
#undef AKGEN_DUMP
#endif  // ASCENDC_KERNEL_DEBUG_H
