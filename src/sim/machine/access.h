// What execution announces: an instruction is about to touch bytes of a memory of its core, or of
// Global Memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace akgen::sim {

struct Access {
  const void* at;  // may be any address until it has been allowed
  size_t bytes;
  bool write;
  uint32_t pipe;        // AkgenPipe or kRawScalar
  const char* what;     // the instruction, as messages call it
  uint32_t align = 1;   // bytes that the start is a multiple of
  bool lost = false;    // a write that leaves nothing meaningful behind
  bool cached = false;  // in Global Memory: through the scalar unit's data cache
};

}  // namespace akgen::sim
