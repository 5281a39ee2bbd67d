#include "record/backend.h"

namespace akgen::record {

std::string_view NameOf(Backend backend) {
  return backend == Backend::kGuest ? "guest" : backend == Backend::kNpu ? "npu" : "native";
}

std::optional<Backend> BackendFromName(std::string_view name) {
  for (Backend b : {Backend::kNative, Backend::kGuest, Backend::kNpu})
    if (name == NameOf(b)) return b;
  return std::nullopt;
}

}  // namespace akgen::record
