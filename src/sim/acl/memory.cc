// aclrtMalloc, aclrtMemcpy and their checks.

#include <cstdlib>
#include <cstring>

#include "acl/acl.h"
#include "sim/acl/state.h"
#include "sim/machine/global_memory.h"
#include "sim/machine/mapping.h"

namespace akgen::sim {
namespace {

constexpr size_t kAlignment = 512;
constexpr size_t kDeviceBytes = size_t(64) << 30;  // HBM of the modelled card

std::string Range(const Allocation* allocation, size_t count) {
  return std::to_string(count) + " bytes" +
         (allocation ? " of an allocation of " + std::to_string(allocation->bytes) + " bytes" : "");
}

// The allocation an address lies in, however long the access is.
const Allocation* Around(const AclState& s, const void* address) {
  return s.FindDevice(address, 0);
}

aclError CheckDevice(AclState& s, const void* address, size_t count, const char* call,
                     const char* side, void* caller) {
  if (s.FindDevice(address, count)) return ACL_SUCCESS;
  const Allocation* around = Around(s, address);
  std::string text = std::string(call) + ": the " + side + " is " +
                     (around ? "longer than its memory: " + Range(around, count)
                             : "no device memory in use (not from aclrtMalloc, or already freed)");
  s.Report(FindingKind::kHostRange, text, caller);
  return s.Fail(ACL_ERROR_RT_PARAM_INVALID, text);
}

aclError CheckHost(AclState& s, const void* address, const char* call, const char* side,
                   void* caller) {
  if (address && !s.FindDevice(address, 1)) return ACL_SUCCESS;
  std::string text = std::string(call) + ": the " + side + " should be host memory but is " +
                     (address ? "device memory" : "null");
  s.Report(FindingKind::kHostRange, text, caller);
  return s.Fail(ACL_ERROR_RT_PARAM_INVALID, text);
}

// A copy from the device while a stream may still be writing.
void CheckSettled(AclState& s, const char* call, void* caller) {
  for (auto& [handle, stream] : s.streams) {
    if (!stream->busy) continue;
    s.Report(
        FindingKind::kUnsynchronised,
        std::string(call) + " reads device memory while a stream has work that was not waited for",
        caller, true);
    return;
  }
}

// A copy from the device of bytes that neither the host nor a kernel wrote, which the host may not
// look at; or of what a kernel made of such bytes, as when an input was never copied to the device.
void CheckDefined(AclState& s, const void* src, size_t count, const char* call, void* caller) {
  uintptr_t base = 0;
  const Allocation* from = s.FindDevice(src, count, &base);
  if (!s.options.checks.init || !from) return;
  const uint8_t* bytes = static_cast<const uint8_t*>(src);
  const size_t made = FindGmUndefined(bytes, count, true);
  const size_t first = made != SIZE_MAX ? made : FindGmUndefined(bytes, count, false);
  if (first == SIZE_MAX) return;
  s.Report(FindingKind::kUndefinedOutput,
           std::string(call) + " brings bytes of " + from->name + " to the host that " +
               (made != SIZE_MAX ? "a kernel made of data that nothing wrote (an input that was "
                                   "not copied to the device?)"
                                 : "nothing wrote") +
               ", the first at offset " +
               std::to_string(reinterpret_cast<uintptr_t>(src) - base + first),
           caller, made == SIZE_MAX);
}

aclError CheckCopy(AclState& s, void* dst, size_t max, const void* src, size_t count,
                   aclrtMemcpyKind kind, const char* call, void* caller) {
  if (count > max) {
    std::string text = std::string(call) + ": " + std::to_string(count) +
                       " bytes do not fit into destMax = " + std::to_string(max);
    s.Report(FindingKind::kHostRange, text, caller);
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, text);
  }
  if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_DEFAULT) {
    return s.Fail(ACL_ERROR_RT_INVALID_MEMCPY_TYPE, std::string(call) + ": unknown kind of copy");
  }
  bool to_device = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  bool from_device = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  if (kind == ACL_MEMCPY_DEFAULT) {
    to_device = s.FindDevice(dst, 1) != nullptr;
    from_device = s.FindDevice(src, 1) != nullptr;
  }
  aclError e = to_device ? CheckDevice(s, dst, count, call, "destination", caller)
                         : CheckHost(s, dst, call, "destination", caller);
  if (e) return e;
  return from_device ? CheckDevice(s, src, count, call, "source", caller)
                     : CheckHost(s, src, call, "source", caller);
}

void Move(void* dst, const void* src, size_t count) {
  AclState& s = AclState::Get();
  memmove(dst, src, count);
  if (!s.FindDevice(dst, count)) return;
  auto* to = static_cast<uint8_t*>(dst);
  if (s.FindDevice(src, count))
    CopyGmDefined(to, static_cast<const uint8_t*>(src), count);
  else
    MarkGmDefined(to, count);
}

void Set(void* dst, int32_t value, size_t count) {
  memset(dst, value, count);
  MarkGmDefined(static_cast<uint8_t*>(dst), count);
}

aclError Release(AclState& s, std::map<uintptr_t, Allocation>& from, void* pointer,
                 const char* call, void* caller) {
  uintptr_t base = reinterpret_cast<uintptr_t>(pointer);
  if (from.count(base)) return ACL_SUCCESS;
  std::string text = std::string(call);
  text += !pointer              ? " of a null pointer"
          : s.freed.count(base) ? " of memory that is already freed"
                                : " of a pointer that was not allocated";
  s.Report(FindingKind::kBadFree, text, caller);
  return s.Fail(ACL_ERROR_RT_PARAM_INVALID, text);
}

}  // namespace
}  // namespace akgen::sim

using namespace akgen::sim;

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!devPtr || size == 0)
    return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtMalloc: null result or size 0");
  const size_t mapped = size + kAlignment;
  uint8_t* p = s.device_bytes + size > kDeviceBytes ? nullptr : MapGm(mapped);
  if (!p)
    return s.Fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                  "aclrtMalloc: no room for " + std::to_string(size) + " bytes");
  uintptr_t base = reinterpret_cast<uintptr_t>(p);
  s.device[base] = {size, mapped, SiteOf(__builtin_return_address(0)),
                    "GM" + std::to_string(s.serial++)};
  s.freed.erase(base);
  s.device_bytes += size;
  AddGmRegion({s.device[base].name, p, size, Role::kScratch});
  *devPtr = p;
  return ACL_SUCCESS;
}

aclError aclrtFree(void* devPtr) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (aclError e = Release(s, s.device, devPtr, "aclrtFree", __builtin_return_address(0))) return e;
  auto it = s.device.find(reinterpret_cast<uintptr_t>(devPtr));
  RemoveGmRegion(static_cast<uint8_t*>(devPtr));
  s.device_bytes -= it->second.bytes;
  Unmap(static_cast<uint8_t*>(devPtr), it->second.mapped);
  s.freed.insert(it->first);
  s.device.erase(it);
  return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!hostPtr || size == 0)
    return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: null result or size 0");
  void* p = nullptr;
  if (posix_memalign(&p, 64, size))
    return s.Fail(ACL_ERROR_BAD_ALLOC, "aclrtMallocHost: no memory");
  memset(p, 0, size);
  uintptr_t base = reinterpret_cast<uintptr_t>(p);
  s.host[base] = {size, size, SiteOf(__builtin_return_address(0)), "host"};
  s.freed.erase(base);
  *hostPtr = p;
  return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (aclError e = Release(s, s.host, hostPtr, "aclrtFreeHost", __builtin_return_address(0)))
    return e;
  s.host.erase(reinterpret_cast<uintptr_t>(hostPtr));
  s.freed.insert(reinterpret_cast<uintptr_t>(hostPtr));
  free(hostPtr);
  return ACL_SUCCESS;
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  void* caller = __builtin_return_address(0);
  if (aclError e = CheckCopy(s, dst, destMax, src, count, kind, "aclrtMemcpy", caller)) return e;
  if (s.FindDevice(src, count)) {
    CheckSettled(s, "aclrtMemcpy", caller);
    if (!s.FindDevice(dst, count)) CheckDefined(s, src, count, "aclrtMemcpy", caller);
  }
  Move(dst, src, count);
  return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  void* caller = __builtin_return_address(0);
  if (aclError e = CheckCopy(s, dst, destMax, src, count, kind, "aclrtMemcpyAsync", caller))
    return e;
  Stream* queue = s.FindStream(stream);
  if (!queue) return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, "aclrtMemcpyAsync: unknown stream");
  s.Submit(queue, "copy " + std::to_string(count) + " bytes", [=] {
    AclState& state = AclState::Get();
    if (state.FindDevice(src, count) && !state.FindDevice(dst, count))
      CheckDefined(state, src, count, "aclrtMemcpyAsync", caller);
    Move(dst, src, count);
  });
  return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  void* caller = __builtin_return_address(0);
  if (count > maxCount)
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset: count is larger than maxCount");
  if (aclError e = CheckDevice(s, devPtr, count, "aclrtMemset", "destination", caller)) return e;
  Set(devPtr, value, count);
  return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  void* caller = __builtin_return_address(0);
  if (count > maxCount)
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemsetAsync: count is larger than maxCount");
  if (aclError e = CheckDevice(s, devPtr, count, "aclrtMemsetAsync", "destination", caller))
    return e;
  Stream* queue = s.FindStream(stream);
  if (!queue) return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, "aclrtMemsetAsync: unknown stream");
  s.Submit(queue, "set " + std::to_string(count) + " bytes", [=] { Set(devPtr, value, count); });
  return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!free || !total) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: null result");
  *total = kDeviceBytes;
  *free = kDeviceBytes - s.device_bytes;
  return ACL_SUCCESS;
}

}  // extern "C"
