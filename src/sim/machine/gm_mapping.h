// Where tensors of Global Memory lie on the machine that simulates: gigabytes from each other, so that no offset or
// stride that an instruction takes (32 bits) leads from one into another, and at the same addresses in every run, so
// that what is said of a stray address is the same too.
#pragma once
#include <cstddef>
#include <cstdint>

namespace akgen::sim {

// Zeroed memory; nullptr where there is none. What lies beyond its last page, and before the first, faults.
uint8_t* MapGm(size_t bytes);
// `bytes` of an open file from `offset`, shared with whoever has it open.
uint8_t* MapGmOfFile(int fd, size_t offset, size_t bytes, bool writable);
void UnmapGm(uint8_t* base, size_t bytes);

}  // namespace akgen::sim
