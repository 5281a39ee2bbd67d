// Outputs that are indices: right when what they point at equals what the reference points at.
#pragma once
#include <optional>
#include <span>

#include "task/compare.h"
#include "task/inputs.h"

namespace akgen::task {

// Compares the flat output number `flat` of `c` when task.toml calls it indices (`index = { of = …
// }`), else nothing: an index is right when it lies inside the input and the element there has the
// same key as the one the reference names, computed in the input's own dtype; along an axis, no
// element may be named twice.
std::optional<Comparison> CompareIndices(const CaseDesc& c, const TensorSet& inputs, size_t flat,
                                         std::span<const uint8_t> out,
                                         std::span<const uint8_t> ref);

}  // namespace akgen::task
