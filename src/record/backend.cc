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

void to_json(base::Json& j, Backend b) { j = NameOf(b); }
void from_json(const base::Json& j, Backend& b) {
  const auto named = BackendFromName(j.get_ref<const std::string&>());
  if (!named) base::ThrowJsonShape("an unknown backend");
  b = *named;
}

}  // namespace akgen::record
