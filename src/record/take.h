// Reading members of records; for record/ only.
#pragma once
#include "base/json.h"

namespace akgen::record {

// A member that may be missing: of an older version, or because there is nothing to say.
template <typename T>
void Take(const base::Json& j, const char* key, T& into) {
  if (const auto at = j.find(key); at != j.end() && !at->is_null()) at->get_to(into);
}

}  // namespace akgen::record
