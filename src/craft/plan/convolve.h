// A convolution as a product of matrices; for plan/ only.
#pragma once
#include "craft/plan/decompose.h"

namespace akgen::craft {

// conv1d, conv2d, conv3d(x, w, bias, stride, padding, dilation, groups): for each tap of the window a stepped slice of
// x, these side by side, and one product with w. Throws Unplanned for groups, and for windows of too many taps.
NodeMaker::Arg Convolved(NodeMaker& make, const NodeMaker::Args& args);

}  // namespace akgen::craft
