// Changes to what the Cube core does, for what_if.cc: whether there is something to change, and the
// changed trace.
#pragma once
#include <cstdint>
#include <optional>

#include "sim/trace/trace.h"

namespace akgen::sim {

// The place of the loads into L0, of the copies into L1, when they have one buffer; of the Mmads,
// when their blocks are small.
std::optional<uint32_t> SingleL0(const Trace& t);
std::optional<uint32_t> SingleL1(const Trace& t);
std::optional<uint32_t> SmallBlocks(const Trace& t);

// Flags by which pipe `from` gives buffers back to pipe `to`: the first wait for each is left out.
Trace OneMoreBuffer(const Trace& t, uint8_t from, uint8_t to);
// Blocks twice as large, of which one operand moves half as often: three quarters of what is moved
// into L1 and L0.
Trace LargerBlocks(const Trace& t);

}  // namespace akgen::sim
