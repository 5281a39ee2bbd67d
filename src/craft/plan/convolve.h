// Convolutions and pooling as operations on windows; for plan/ only.
#pragma once
#include <optional>
#include <string>

#include "craft/plan/decompose.h"
#include "craft/plan/plan.h"

namespace akgen::craft {

// conv1d, conv2d, conv3d(x, weight, bias, stride, padding, dilation, groups): a product with
// windows that are laid side by side; where each channel has weights of its own, a sum over each
// window. Throws Unplanned.
NodeMaker::Arg Convolved(NodeMaker& make, const NodeMaker::Args& args);

// conv_transpose1d, …(x, weight, bias, stride, padding, output_padding, groups, dilation): a
// product with what each element gives to its window, and the sum of what a place is given. Throws
// Unplanned.
NodeMaker::Arg ConvolvedBack(NodeMaker& make, const NodeMaker::Args& args);

// im2col(x, size, dilation, padding, stride): windows of all channels as columns. Throws Unplanned.
NodeMaker::Arg Columns(NodeMaker& make, const NodeMaker::Args& args);

// Of a task with one operation the same with simpler ones; nothing where there are none: pooling as
// a reduction of windows, padding along one dimension after the other.
std::optional<PlanTask> WithWindows(const PlanTask& task);

// max_pool1d, …, avg_pool1d, … as reductions of windows. Throws Unplanned.
NodeMaker::Arg Pooled(NodeMaker& make, const std::string& op, const NodeMaker::Args& args);

}  // namespace akgen::craft
