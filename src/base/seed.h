// Where seeds of inputs come from.
#pragma once
#include <cstdint>

namespace akgen::base {

// An unpredictable seed from the kernel's generator: 52 bits, exact in any JSON reader.
uint64_t DrawSeed();

// Another seed, a function of both numbers: `purpose` distinguishes those of one run.
uint64_t DerivedSeed(uint64_t seed, uint64_t purpose);

}  // namespace akgen::base
