// The vendor's device runtime, loaded from the one library that the job names: these functions and
// no others. None of them runs an operator; a kernel is launched by the object that was built for
// it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"

namespace akgen::device {

using Stream = void*;
using Event = void*;

// NAME, parameters; all return aclError, 0 is success (documented in the vendor's "acl API
// reference").
#define AKGEN_RUNTIME_FUNCTIONS(X)                                                               \
  X(aclInit, (const char* config))                                                               \
  X(aclrtSetDevice, (int32_t device))                                                            \
  X(aclrtResetDeviceForce, (int32_t device))                                                     \
  X(aclrtCreateStream, (Stream * stream))                                                        \
  X(aclrtSynchronizeStreamWithTimeout, (Stream stream, int32_t ms))                              \
  X(aclrtMalloc, (void** address, size_t bytes, int policy))                                     \
  X(aclrtMemcpy, (void* to, size_t room, const void* from, size_t bytes, int kind))              \
  X(aclrtMemcpyAsync, (void* to, size_t room, const void* from, size_t bytes, int kind, Stream)) \
  X(aclrtMemsetAsync, (void* to, size_t room, int32_t value, size_t bytes, Stream))              \
  X(aclrtCreateEvent, (Event * event))                                                           \
  X(aclrtRecordEvent, (Event event, Stream stream))                                              \
  X(aclrtEventElapsedTime, (float* ms, Event begin, Event end))

inline constexpr int kMallocHugeFirst = 0;
enum CopyKind : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3 };

class Runtime {
 public:
  // The library cannot be loaded, or lacks a function: its name.
  static base::Result<Runtime> Load(const std::string& library);
#define AKGEN_RUNTIME_MEMBER(name, parameters) int(*name) parameters = nullptr;
  AKGEN_RUNTIME_FUNCTIONS(AKGEN_RUNTIME_MEMBER)
#undef AKGEN_RUNTIME_MEMBER
  std::string SocName() const;      // "" where it does not say
  std::string RecentError() const;  // what it says of its last error

 private:
  const char* (*soc_name_)() = nullptr;
  const char* (*recent_error_)() = nullptr;
};

}  // namespace akgen::device
