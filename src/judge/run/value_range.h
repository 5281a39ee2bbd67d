// What a tensor holds, where nothing says what it should.
#pragma once
#include <cstdint>
#include <string>

#include "base/dtype.h"
#include "record/output_result.h"

namespace akgen::judge {

// The element at `at`.
double NumberAt(base::Dtype dtype, const uint8_t* at);

// `count` elements of a dtype that has a number for each; other dtypes give the count alone.
record::OutputValues ValuesOf(std::string name, base::Dtype dtype, const uint8_t* at,
                              uint64_t count);

}  // namespace akgen::judge
