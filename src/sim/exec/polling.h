// Blocks that wait for each other by reading Global Memory again and again.
#pragma once
#include <cstdint>

#include "akgen/abi.h"
#include "sim/machine/shadow.h"

namespace akgen::sim {

// What a core read last: it waits when it reads just that again.
struct Polling {
  AkgenCopy copy{};
  const void* loaded = nullptr;
  uint64_t calls = 0;  // into the chip, when `loaded` was loaded first
  uint32_t loads = 0;
};

// The others get their turn. Ends the launch where all blocks have done nothing but read for long:
// `reads`, how many loads of the scalar unit this one took the time of.
void LetOthersRun(uint64_t reads);

// Before the running core's copy: where it repeats the one before, the others get their turn, and
// what it reads counts as polled from then on.
void BeforeCopy(const AkgenCopy& copy);
// Before its scalar unit loads from or stores to Global Memory that kernels write.
void BeforeGmAccess(const Access& access);

}  // namespace akgen::sim
