// Operations that choose, order or repeat elements, as simpler ones; for plan/ only. All throw Unplanned.
#pragma once
#include <string>
#include <utility>

#include "craft/plan/decompose.h"

namespace akgen::craft {

// pixel_shuffle(x, factor): channels become places; pixel_unshuffle the other way round.
NodeMaker::Arg PixelsShuffled(NodeMaker& make, const NodeMaker::Args& args, bool back);
// diagonal(x, offset, dim1, dim2)
NodeMaker::Arg Diagonal(NodeMaker& make, const NodeMaker::Args& args);
// unfold(x, dim, size, step): windows along one dimension, each in a last dimension.
NodeMaker::Arg Unfolded(NodeMaker& make, const NodeMaker::Args& args);
// upsample_nearest1d, … and upsample_linear1d, upsample_bilinear2d to a multiple of each size: `out` is the shape.
NodeMaker::Arg Upsampled(NodeMaker& make, const std::string& op, const NodeMaker::Args& args,
                         const NodeMaker::Shape& out);
// bucketize(x, boundaries, right): how many boundaries lie below x (right: not above x). NaN is above all.
NodeMaker::Arg Bucketized(NodeMaker& make, const NodeMaker::Arg& x, const NodeMaker::Arg& boundaries, bool right);
// cdist(x, y, p): the distances of each row of x from each row of y.
NodeMaker::Arg Distances(NodeMaker& make, const NodeMaker::Args& args);
// index_add(x, dim, index, source, alpha), scatter_add(x, dim, index, source).
NodeMaker::Arg IndexAdded(NodeMaker& make, const NodeMaker::Args& args);
NodeMaker::Arg ScatterAdded(NodeMaker& make, const NodeMaker::Args& args);
// logcumsumexp(x, dim)
NodeMaker::Arg RunningLogSum(NodeMaker& make, const NodeMaker::Args& args);

// Rows in order, by counting for each element how many come before it: values and where they were. NaN is the largest
// number, as for PyTorch; equal ones keep their order.
std::pair<NodeMaker::Arg, NodeMaker::Arg> Sorted(NodeMaker& make, const NodeMaker::Arg& x, int64_t dim,
                                                 bool descending);
// The k-th smallest of each row, from 0, and where it was; `keep`: the dimension stays; `nan`: the first NaN where
// there is one.
std::pair<NodeMaker::Arg, NodeMaker::Arg> KthSmallest(NodeMaker& make, const NodeMaker::Arg& x, int64_t k, int64_t dim,
                                                      bool keep, bool nan);
// The largest or smallest element up to each one.
NodeMaker::Arg RunningExtreme(NodeMaker& make, const NodeMaker::Arg& x, int64_t dim, bool largest);

}  // namespace akgen::craft
