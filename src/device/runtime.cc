#include "device/runtime.h"

#include <dlfcn.h>

namespace akgen::device {

base::Result<Runtime> Runtime::Load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = ::dlerror();
    return base::Error{
        "AK0620", std::string("the device runtime cannot be loaded: ") + (why ? why : ""), library,
        "`source set_env.sh` of the toolkit, and install the driver (docs/hardware.md)"};
  }
  Runtime out;
  std::string missing;
#define AKGEN_RUNTIME_LOOK_UP(name, parameters)                           \
  out.name = reinterpret_cast<int(*) parameters>(::dlsym(handle, #name)); \
  if (!out.name) missing = #name;
  AKGEN_RUNTIME_FUNCTIONS(AKGEN_RUNTIME_LOOK_UP)
#undef AKGEN_RUNTIME_LOOK_UP
  if (!missing.empty())
    return base::Error{"AK0620", "the device runtime lacks " + missing, library,
                       "install a toolkit of version 8.3 or newer"};
  out.soc_name_ = reinterpret_cast<const char* (*)()>(::dlsym(handle, "aclrtGetSocName"));
  out.recent_error_ = reinterpret_cast<const char* (*)()>(::dlsym(handle, "aclGetRecentErrMsg"));
  return out;
}

std::string Runtime::SocName() const {
  const char* name = soc_name_ ? soc_name_() : nullptr;
  return name ? name : "";
}

std::string Runtime::RecentError() const {
  const char* text = recent_error_ ? recent_error_() : nullptr;
  return text ? text : "";
}

}  // namespace akgen::device
