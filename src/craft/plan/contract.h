// einsum as a product of matrices; for plan/ only.
#pragma once
#include <string>

#include "craft/plan/decompose.h"

namespace akgen::craft {

// einsum: products of two tensors after each other, each with the dimensions in the order [both
// keep, own, both lose] and the result's in the order asked for; "..." and a result that is not
// said are spelled out. Throws Unplanned for a letter twice in one tensor.
NodeMaker::Arg Contracted(NodeMaker& make, const std::string& equation,
                          const NodeMaker::Args& tensors);
// matmul of stacks of matrices of which one is spread over the other's dimensions.
NodeMaker::Arg ProductSpread(NodeMaker& make, const NodeMaker::Arg& a, const NodeMaker::Arg& b);

}  // namespace akgen::craft
