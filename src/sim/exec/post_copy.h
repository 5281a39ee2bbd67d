#pragma once
#include "akgen/abi.h"

namespace akgen::sim {
// A Vector core's copy from Global Memory to L1 goes to its block's Cube core, if that serves it.
// False: it does not.
bool PostCopy(const AkgenCopy& copy);
}  // namespace akgen::sim
