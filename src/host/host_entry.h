// What akgen-runner asks of a loaded operator library (op_host compiled to a shared object).
//
// Loading the object with dlopen registers its operators here; then Describe and Tile can be
// called. Requests and answers are JSON texts. Nothing throws. One library at a time: ClearRegistry
// before the next dlopen.
#pragma once
#include <string>

#include "chip/chip.h"
#include "record/tile_request.h"

namespace akgen::host {

// Request {"soc"? : "ascend910b"} (which AddConfig applies: the chip's family in small letters).
// Answer:
// {"status": "ok", "ops": [{"name", "inputs": [PARAM], "outputs": [PARAM], "attrs": [ATTR],
// "configs": ["ascend910b"],
//   "kernel_names": [other names that the configuration gives the kernel], "has_tiling",
//   "has_infer_shape"}],
//  "tiling": [{"op", "class", "fields": [{"name","type","count","offset","kind"}], "size",
//   "of"?, "tiling_key"?}] (registered as Name_27: the struct of key 27 of operator "of"),
//  "structs": [{"name", "fields", "size"}], those and what lies in them, innermost first,
//  "default_tiling_class": "" if none}
// PARAM: {"name", "param_type": "required|optional|dynamic", "dtypes": [ge numbers], "formats":
// [...],
//   "value_depend", "scalar": "none|scalar|list", "auto_contiguous", "init_value"?: number}
// ATTR: {"name", "type": "bool|float|int|string|list_bool|list_float|list_int|list_list_int",
// "required", "default"} Dtype columns: entry i of every parameter's list together is one
// combination. On failure {"status": "failed", "code", "message"}: AK3001 no operator, AK3002 a
// constructor threw.
std::string Describe(const std::string& request);

// Request {"op", "inputs": [TENSOR or null, or {"list": [TENSOR]} for a dynamic input], "outputs":
// the same,
//   "attrs": {name: value}, "chip": as chip::ToJson says it, "deterministic": 0, "log_limit":
//   bytes, "only_infer"?: true (no tiling function is called), "fill"?: byte that the functions
//   find on the stack where they have not written}
// TENSOR: {"shape": [..], "storage_shape"?, "dtype": ge number, "format"? (2 = ND), "data"? hex
// digits of values known
//   on the host}. An output without "shape" takes what the operator's InferShape says.
// Answer {"status": "ok", "block_dim", "tiling_key", "tiling_hex", "workspaces": [bytes],
// "schedule_mode",
//   "need_atomic": outputs start with their init_value, "outputs": [shapes], "inferred_shapes"?:
//   [shapes], "inferred_dtypes"?: [ge numbers] (what InferShape and InferDataType say, where the
//   operator has them), "log"} or
//   {"status": "failed", "code", "message", "log"}: AK3001 no such operator, AK3003 no tiling
//   function, AK3004 it returned a failure, AK3005 it threw, AK3006 it wrote or sized past the
//   tiling buffer, AK3007 no block count, AK3008 the request does not fit the definition.
std::string Tile(const std::string& request);
// The same of a request that is read already: nothing of it lies in the memory of the host code.
std::string Tile(const record::TileRequest& request);

// Makes the memory that takes what host code prints. For a process that may make none later.
void PrepareToCapture();

// The chip that host code finds outside Tile: PlatformAscendCManager of a program.
void SetChip(const chip::Chip& chip);

// Forgets what loaded libraries registered.
void ClearRegistry();

}  // namespace akgen::host
