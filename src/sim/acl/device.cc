// aclInit, devices and contexts.
#include "acl/acl.h"
#include "base/dtype.h"
#include "sim/acl/state.h"

using akgen::sim::AclState;

namespace {

constexpr int32_t kDevices = 8;

aclError CheckId(AclState& s, int64_t id, const char* call) {
  if (id >= 0 && id < kDevices) return ACL_SUCCESS;
  return s.Fail(ACL_ERROR_RT_INVALID_DEVICEID,
                std::string(call) + ": no device " + std::to_string(id));
}

}  // namespace

extern "C" {

aclError aclInit(const char* configPath) { return ACL_SUCCESS; }
aclError aclFinalize(void) { return ACL_SUCCESS; }

aclError aclrtSetDevice(int32_t deviceId) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (aclError e = CheckId(s, deviceId, "aclrtSetDevice")) return e;
  s.device_id = deviceId;
  return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  return CheckId(s, deviceId, "aclrtResetDevice");
}

aclError aclrtGetDevice(int32_t* deviceId) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!deviceId) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: null result");
  *deviceId = s.device_id;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!count) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: null result");
  *count = kDevices;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (aclError e = CheckId(s, deviceId, "aclrtGetDeviceInfo")) return e;
  if (!value) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceInfo: null result");
  uint32_t vector_cores = s.options.chip.aiv_cores;
  switch (attr) {
    case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = vector_cores; return ACL_SUCCESS;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      *value = vector_cores / 2;
      return ACL_SUCCESS;  // two vector cores per cube core
    default:
      return s.Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "aclrtGetDeviceInfo: attribute is not modelled");
  }
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!runMode) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: null result");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

const char* aclrtGetSocName(void) { return AclState::Get().options.soc_name.c_str(); }

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (aclError e = CheckId(s, deviceId, "aclrtCreateContext")) return e;
  if (!context) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext: null result");
  *context = reinterpret_cast<void*>((uintptr_t(0xC0) << 32) + ++s.serial * 16);
  s.contexts.insert(*context);
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (s.contexts.erase(context)) return ACL_SUCCESS;
  return s.Fail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtDestroyContext: unknown context");
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (s.contexts.count(context)) return ACL_SUCCESS;
  return s.Fail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetCurrentContext: unknown context");
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!context) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext: null result");
  if (s.contexts.empty())
    return s.Fail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtGetCurrentContext: there is none");
  *context = *s.contexts.rbegin();
  return ACL_SUCCESS;
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  aclError error = s.last_error;
  s.last_error = ACL_SUCCESS;
  return error;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  return s.last_error;
}

const char* aclGetRecentErrMsg(void) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (s.message.empty()) return nullptr;
  s.shown_message = std::move(s.message);
  s.message.clear();
  return s.shown_message.c_str();
}

float aclFloat16ToFloat(aclFloat16 value) { return akgen::base::HalfToFloat(value); }
aclFloat16 aclFloatToFloat16(float value) { return akgen::base::FloatToHalf(value); }

size_t aclDataTypeSize(aclDataType type) {
  switch (type) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL: return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16: return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32: return 4;
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_DOUBLE:
    case ACL_COMPLEX64: return 8;
    case ACL_COMPLEX128: return 16;
    default: return 0;
  }
}

}  // extern "C"
