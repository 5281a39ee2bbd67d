// einsum as a product of matrices; for plan/ only.
#pragma once
#include <string>

#include "craft/plan/decompose.h"

namespace akgen::craft {

// "bijl,lk->bijk" of two tensors: their dimensions in the order [both keep, own, both lose], one
// product, and the result's in the order asked for. Throws Unplanned for what is no product.
NodeMaker::Arg Contracted(NodeMaker& make, const std::string& equation, const NodeMaker::Arg& a,
                          const NodeMaker::Arg& b);

}  // namespace akgen::craft
