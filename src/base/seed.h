// Where seeds of inputs come from.
#pragma once
#include <cstdint>

namespace akgen::base {

// A seed nobody can foresee, from the kernel's generator: 52 bits, a JSON number of any reader.
uint64_t DrawSeed();

// Another seed, the same for the same two numbers: `purpose` tells those of one run apart.
uint64_t DerivedSeed(uint64_t seed, uint64_t purpose);

}  // namespace akgen::base
