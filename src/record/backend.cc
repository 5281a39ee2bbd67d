#include "record/backend.h"

namespace akgen::record {

std::string_view NameOf(Backend backend) { return backend == Backend::kGuest ? "guest" : "native"; }

std::optional<Backend> BackendFromName(std::string_view name) {
  for (Backend b : {Backend::kNative, Backend::kGuest})
    if (name == NameOf(b)) return b;
  return std::nullopt;
}

}  // namespace akgen::record
