// Replies of a candidate's host code are untrusted: here they are reduced to the fields that are
// used, of the kinds and sizes that they may have, before anything else looks at them.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "judge/host/messages.h"

namespace akgen::judge {

// Of `describe` (host/host_entry.h): operators with their parameters, and the tiling structs.
// AK0612: a name that is no identifier, a type that is no type, or more of something than any
// operator has.
base::Result<Description> CheckedDescription(const base::Json& answer);
// Of `tile`, when its status is "ok". AK0612 likewise.
base::Result<TileReply> CheckedTiling(const base::Json& answer);

// C++ text of tiling structs, for the kernel side; `usual`: the class of kernels that name none,
// empty: there is none.
std::string TilingHeader(const std::vector<TilingStruct>& structs, const std::string& usual);

}  // namespace akgen::judge
