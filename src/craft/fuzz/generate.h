// Random programs of the kernel language, each with inputs to run it on; and smaller programs near
// a given one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace akgen::craft {

struct RandomProgram {
  std::string source;
  std::string inputs;  // a case, as arguments.h reads it
};

// A function of both numbers alone. Nearly all compile; those that do not show where the language
// has no instruction.
RandomProgram Generate(uint64_t seed, uint64_t index);
// The same of programs with products.
RandomProgram GenerateProduct(uint64_t seed, uint64_t index);

// Programs and cases one step smaller: without a statement, with an operand in place of an
// operation, with smaller extents. In the order in which they should be tried; not all of them are
// programs.
std::vector<RandomProgram> Smaller(const RandomProgram& p);

}  // namespace akgen::craft
