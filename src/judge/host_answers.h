// Replies of a candidate's host code are untrusted: here they are reduced to the fields that are used, of the kinds and
// sizes that they may have, before anything else looks at them.
#pragma once
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace akgen::judge {

// Of `describe` (host/host_entry.h): operators with their parameters, and the tiling structs. AK0612: a name that is no
// identifier, a type that is no type, or more of something than any operator has.
base::Result<base::Json> CheckedDescription(const base::Json& answer);
// Of `tile`, when its status is "ok": {"block_dim", "tiling_key", "tiling_hex", "workspaces",
// "inferred_shapes", "inferred_dtypes"}. AK0612 likewise.
base::Result<base::Json> CheckedTiling(const base::Json& answer);

// C++ text of a checked description's tiling structs, for the kernel side.
std::string TilingHeader(const base::Json& description);

}  // namespace akgen::judge
