// What SetAtomicAdd, SetAtomicMax and SetAtomicMin make of a store to Global Memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace akgen::sim {

// `op`: 1 add, 2 max, 3 min; `dtype`: AkgenDtype of both sides.
void AtomicStore(uint8_t op, uint8_t dtype, uint8_t* dst, const uint8_t* src, size_t bytes);

}  // namespace akgen::sim
