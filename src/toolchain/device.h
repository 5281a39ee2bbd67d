// What the vendor's compiler predefines for the core that device code is compiled for.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "toolchain/build.h"

namespace akgen::toolchain {

// "NAME" or "NAME=VALUE". AK0301: an architecture that the table does not have.
base::Result<std::vector<std::string>> MacrosOf(const Device& device);

// The table's devices, in order.
std::vector<Device> KnownDevices();

// Compiler flags of device code, before anything of the request: those macros and what says that it
// is simulated. The same for the builder and for what reads sources. Errors of MacrosOf.
base::Result<std::vector<std::string>> DeviceFlags(const Device& device);

}  // namespace akgen::toolchain
