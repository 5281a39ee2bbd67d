// Arrays that a kernel declares in the Unified Buffer: `__ubuf__ float x[256];`
// (include/ascendc/c_api/ub_arrays.h).
#pragma once

namespace clang {
class CodeGenOptions;
}

namespace akgen::toolchain {

// Gives each such array a place of its own, a multiple of 32 bytes from the memory's start on;
// those of functions that one kernel reaches do not overlap. A function asks the chip for its
// arrays where it begins (akgen_ub_array). The word on anything else (pointers, parameters,
// functions) says nothing, and is taken away.
void PlaceUbArrays(clang::CodeGenOptions& options);

}  // namespace akgen::toolchain
