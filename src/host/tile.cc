// Calls a tiling function and packs what it filled in.
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "host/host_entry.h"
#include "host/node.h"
#include "host/node_builder.h"
#include "host/output_capture.h"
#include "host/registry.h"
#include "record/tile_request.h"

namespace akgen::host {
namespace {
using base::Json;

// The compile info lives as long as the call.
struct CompileInfo {
  const HostFunctions& functions;
  void* data = nullptr;
  ~CompileInfo() {
    if (data != nullptr && functions.destroy != nullptr) functions.destroy(data);
  }
};

record::HostStatus Refusal(const char* code, const std::string& message) {
  return {"failed", code, message, ""};
}

// What a function that is called next finds on the stack where it writes nothing.
[[gnu::noinline]] void FillStack(std::optional<uint8_t> fill) {
  if (!fill) return;
  uint8_t room[size_t{32} << 10];
  std::memset(room, *fill, sizeof room);
  asm volatile("" : : "r"(room) : "memory");  // it is not seen that nobody reads it
}

// What the functions do not do, nothing where they do it all.
std::optional<record::HostStatus> RunFunctions(HostNode& node, const HostFunctions& functions,
                                               std::optional<uint8_t> fill) {
  CompileInfo info{functions};
  FillStack(fill);
  if (functions.create != nullptr) node.compile_info = info.data = functions.create();
  if (functions.parse != nullptr) {
    gert::TilingParseContext context(&node);
    FillStack(fill);
    ge::graphStatus status = functions.parse(&context);
    if (status != ge::GRAPH_SUCCESS) {
      return Refusal("AK3004", "TilingParse returned " + std::to_string(status));
    }
  }
  gert::TilingContext context(&node);
  FillStack(fill);
  ge::graphStatus status = functions.tiling(&context);
  if (node.TilingOverrun())
    return Refusal("AK3006", "the tiling function wrote past the tiling buffer");
  if (status != ge::GRAPH_SUCCESS) {
    return Refusal(
        "AK3004", "the tiling function returned " + std::to_string(status) + ", not GRAPH_SUCCESS");
  }
  if (node.tiling.GetDataSize() > node.tiling.GetCapacity()) {
    return Refusal("AK3006", "the tiling data has " + std::to_string(node.tiling.GetDataSize()) +
                                 " bytes; the buffer holds " +
                                 std::to_string(node.tiling.GetCapacity()));
  }
  if (node.block_dim == 0)
    return Refusal("AK3007", "the tiling function set no block count (SetBlockDim)");
  return std::nullopt;
}

Json ShapeJson(const gert::Shape& shape) {
  Json dims = Json::array();
  for (size_t i = 0; i < shape.GetDimNum(); ++i) dims.push_back(shape.GetDim(i));
  return dims;
}

// What the operator says of its outputs where nobody tells it. Nothing where it refuses, or has no
// such function.
void Infer(HostNode& node, const HostFunctions& functions, Json& out) {
  for (HostTensor& output : node.outputs) {
    output.tensor.MutableOriginShape() = output.tensor.MutableStorageShape() = gert::Shape();
    output.desc.SetDataType(ge::DT_UNDEFINED);
  }
  gert::InferShapeContext shapes(&node);
  if (functions.infer_shape != nullptr && functions.infer_shape(&shapes) == ge::GRAPH_SUCCESS) {
    out["inferred_shapes"] = Json::array();
    for (const HostTensor& output : node.outputs)
      out["inferred_shapes"].push_back(ShapeJson(output.tensor.GetOriginShape()));
  }
  if (functions.infer_dtype == nullptr && functions.dtype_of_first && !node.inputs.empty()) {
    out["inferred_dtypes"] = Json::array();
    for (size_t i = 0; i < node.outputs.size(); ++i)
      out["inferred_dtypes"].push_back(static_cast<int>(node.inputs.front().desc.GetDataType()));
    return;
  }
  gert::InferDataTypeContext dtypes(&node);
  if (functions.infer_dtype != nullptr && functions.infer_dtype(&dtypes) == ge::GRAPH_SUCCESS) {
    out["inferred_dtypes"] = Json::array();
    for (const HostTensor& output : node.outputs)
      out["inferred_dtypes"].push_back(static_cast<int>(output.desc.GetDataType()));
  }
}

Json Answer(HostNode& node) {
  const auto* tiling = static_cast<const uint8_t*>(node.tiling.GetData());
  Json out = {{"status", "ok"},
              {"block_dim", node.block_dim},
              {"tiling_key", node.tiling_key},
              {"tiling_hex", base::HexOf({tiling, tiling + node.tiling.GetDataSize()})},
              {"schedule_mode", node.schedule_mode},
              {"need_atomic", node.atomic},
              {"workspaces", Json::array()},
              {"outputs", Json::array()}};
  for (size_t i = 0; i < node.workspace_count; ++i) out["workspaces"].push_back(node.workspaces[i]);
  for (const HostTensor& output : node.outputs)
    out["outputs"].push_back(ShapeJson(output.tensor.GetOriginShape()));
  return out;
}

Json Tiled(const record::TileRequest& request) {
  HostRegistry& registry = HostRegistry::Get();
  std::string name = request.op;
  if (name.empty() && registry.creators.size() == 1) name = registry.creators[0].first;
  auto def = registry.Definition(name);
  if (def == nullptr) return Refusal("AK3001", "no operator named '" + name + "' is registered");
  HostFunctions functions = registry.FunctionsOf(*def);
  if (functions.tiling == nullptr)
    return Refusal("AK3003", "operator " + name + " has no tiling function");
  auto chip = chip::ChipFromJson(request.chip);
  if (!chip.ok()) return Refusal("AK3008", chip.error().message);
  CurrentChip() = std::move(*chip);
  HostNode node(CurrentChip());
  std::string problem = FillNode(request, *def, functions, node);
  if (!problem.empty()) return Refusal("AK3008", problem);
  if (!request.only_infer)
    if (auto refused = RunFunctions(node, functions, request.fill)) return *refused;
  Json out = Answer(node);
  Infer(node, functions, out);
  return out;
}

}  // namespace

void SetChip(const chip::Chip& chip) { CurrentChip() = chip; }

std::string Tile(const record::TileRequest& request) {
  Json out;
  HostLog().clear();
  {
    OutputCapture capture;
    try {
      out = Tiled(request);
    } catch (const Json::exception& e) {
      out = Refusal("AK3008", std::string("the request cannot be read: ") + e.what());
    } catch (const std::exception& e) {
      out = Refusal("AK3005", std::string("the host code threw: ") + e.what());
    } catch (...) {
      out = Refusal("AK3005", "the host code threw something that is not a std::exception");
    }
    HostLog() += capture.Take(request.log_limit);
  }
  if (HostLog().size() > request.log_limit) HostLog().resize(request.log_limit);
  out["log"] = HostLog();
  return base::Dump(out);
}

std::string Tile(const std::string& request) {
  const auto asked = base::Checked("the request", [&] {
    return base::Result<record::TileRequest>(
        base::MessageFromJson<record::TileRequest>(base::Parse(request)));
  });
  if (asked.ok()) return Tile(*asked);
  Json out = Refusal("AK3008", "the request cannot be read: " + asked.error().message);
  out["log"] = "";
  return base::Dump(out);
}

}  // namespace akgen::host
