// Constants of a kernel's object that have a name: tables that it copies into Unified Buffer.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "guest/image.h"
#include "sim/machine/global_memory.h"

namespace akgen::runner {

std::vector<sim::GmRegion> TablesOf(guest::Image& image);
// Of a shared object for this machine that was loaded at `base`.
std::vector<sim::GmRegion> TablesOf(std::string_view object, uintptr_t base);

}  // namespace akgen::runner
