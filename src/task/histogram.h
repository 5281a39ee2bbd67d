// How far an output is from the reference, as counts by decade: shows at a glance whether a kernel
// is wrong everywhere, at the edges, or by rounding alone.
#pragma once
#include <cstdint>
#include <span>

#include "base/json.h"
#include "task/task.h"

namespace akgen::task {

// Relative errors |out - ref| / (|ref| + 1e-7) of at most 65536 elements, evenly taken; complex64
// counts both parts.
//   {"sampled": n, "bins": [["exact", n], ["1e-8", n] (up to 1e-8), …, ["1", n], [">1", n], ["nan,
//   inf", n]]}
// "nan, inf": one side is no finite number and the other is not the same.
base::Json ErrorHistogram(const TensorDesc& desc, std::span<const uint8_t> out,
                          std::span<const uint8_t> ref);

}  // namespace akgen::task
