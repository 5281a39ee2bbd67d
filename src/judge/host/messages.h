// Requests to a candidate's host code and its replies. Replies are untrusted data, so each is
// validated here before it is used.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "judge/host/operator_definition.h"
#include "record/tile_request.h"

namespace akgen::judge {

// Answer of host::Describe (host/host_entry.h). "ok", "failed", or how the process ended
// (runner/runner_client.h).
struct Description {
  std::string status = "error", detail;
  std::vector<OperatorDefinition> ops;
  std::vector<TilingClass> tiling;
  std::vector<TilingStruct> structs;  // what they are made of
  std::string tiling_header;          // C++ text of the tiling structs for the kernel
};
// AK0612, or AK0014: it is none.
base::Result<Description> DescriptionFromJson(const base::Json& json);

// What tiling functions are asked.
using record::TileParam;
using record::TileRequest;
using record::TileTensor;

// What it says.
struct TileReply {
  std::string status = "error", detail;  // "ok", "failed", or how the process ended
  std::string log;                       // the last lines that the host code logged, joined by "; "
  uint32_t block_dim = 0;
  uint64_t tiling_key = 0;
  std::vector<uint8_t> tiling;
  std::vector<uint64_t> workspaces;  // bytes each
  bool need_atomic = false;          // outputs start with what the definition initialises them to
  // When it was called again, with other addresses and other contents of memory that nothing has
  // written, and said something else: that, and what made the difference: "memory", its contents,
  // or "address", addresses or that it is another call.
  std::vector<TileReply> other;  // at most one
  std::string cause;
  // What InferShape and InferDataType say of each output tensor; empty: there is no such function,
  // or it refuses.
  std::vector<std::vector<int64_t>> inferred_shapes;
  std::vector<int> inferred_dtypes;  // ge::DataType
  // Of all, the system's part included, which tiling asks for like its own; nothing when that is
  // more than the chip has.
  std::optional<uint64_t> WorkspaceBytes(const chip::Chip& chip) const;
};
uint64_t MostWorkspace(const chip::Chip& chip);                     // bytes
base::Result<TileReply> TileReplyFromJson(const base::Json& json);  // AK0612, or AK0014: it is none

}  // namespace akgen::judge
