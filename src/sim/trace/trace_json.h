// A trace as a message, for a process that replays what another one ran.
#pragma once
#include <optional>

#include "base/json.h"
#include "sim/trace/trace.h"

namespace akgen::sim {

constexpr size_t kMaxRecordsToSend = size_t{4} << 20;  // 48 MB of text at most

// Null where the trace is cut or holds more records than that.
base::Json ToJson(const Trace& trace);
// Sites are not kept. Throws base::Json::exception where ToJson did not write it; everything a
// replay relies on is looked at.
Trace TraceFromJson(const base::Json& json);

}  // namespace akgen::sim
