// What a launch line says of its arguments' values: numbers, files, scalars, and what outputs
// should hold.
#pragma once
#include <string>
#include <vector>

#include "base/dtype.h"
#include "judge/run/lone.h"
#include "toolchain/rewrite.h"

namespace akgen::judge {

// Bytes of an argument with a `fill`: its numbers, again and again, or its file. AK0401 no such
// file, or not its size.
base::Result<std::vector<uint8_t>> BytesOf(const LaunchLine::Arg& arg);

// "3 of 64 elements are wrong; the first is 5: 1.5, expected 2"; empty: all agree.
std::string LoneDifference(base::Dtype dtype, const uint8_t* got, const uint8_t* expected,
                           uint64_t count, double tolerance);

// The files become what the outputs should hold, in order. AK0401: more of them than outputs.
base::Status Expect(const std::vector<std::string>& files, LaunchLine* launch);

// An entry that calls another with the scalars of the launch line, for the others to be given as
// they are; its name is put in `symbol`. Empty where the line has none.
std::string EntryWithScalars(const toolchain::EntryDeclaration& kernel, const LaunchLine& launch,
                             std::string* symbol);

// AK0401: a parameter is a number and the line gives no scalar for it, or the other way around.
base::Status CheckScalars(const toolchain::EntryDeclaration& kernel, const LaunchLine& launch);

}  // namespace akgen::judge
