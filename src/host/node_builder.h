// From a tile request (host_entry.h) to the node its host functions see.
#pragma once
#include <string>

#include "host/node.h"
#include "host/registry.h"
#include "record/tile_request.h"

namespace akgen::host {

// Fills inputs, outputs and attributes; runs InferShape for outputs without a shape. Returns what
// does not fit, empty if all does. JSON exceptions pass through.
std::string FillNode(const record::TileRequest& request, const OpDefData& op,
                     const HostFunctions& functions, HostNode& node);

}  // namespace akgen::host
