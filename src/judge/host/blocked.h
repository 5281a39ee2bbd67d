// Tensors in blocked formats: channels, and of filters the output's channels, are filled up to
// whole blocks.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "task/task.h"

namespace akgen::judge {

// ge::Format of a name, as FRACTAL_NZ; none: not one that a tensor can be given in.
std::optional<int> FormatOfName(std::string_view name);
// The axes of a format by letter, in order; empty where they have none (ND) or are blocked.
std::string_view AxesOf(int format);

// Sets to zero what of `tensor` is no element of its origin, as a conversion to that format does. A
// tensor that is not in NDC1HWC0 or FRACTAL_Z_3D, and one whose shape is not that of the origin
// (groups), is left as it is.
void ClearFilling(std::span<uint8_t> bytes, const task::TensorDesc& tensor,
                  const task::Declared& declared);

}  // namespace akgen::judge
