// Convolutions (operations.h).
#include <algorithm>
#include <cmath>

#include "task/evaluate/tables.h"
#include "task/evaluate/terms.h"
#include "task/evaluate/windows.h"

namespace akgen::task::evaluate {
namespace {
// conv(x, weight, bias, stride, padding, dilation, groups), and back: conv_transpose(x, weight,
// bias, stride, padding, output_padding, groups, dilation). Both pair elements of a narrow tensor
// with places in a wide one.
template <bool back>
Results Convolve(const Args& a) {
  const TensorPtr &x = a.at(0).AsTensor(), &weight = a.at(1).AsTensor();
  const size_t rank = weight->shape.size() - 2;
  if (!x->IsReal() || !weight->IsReal() || weight->shape.size() < 3 || rank > 3 ||
      x->shape.size() != rank + 2)
    throw Unsupported("a convolution of other tensors");
  const Three step = ThreeOf(a.at(3), rank, 1), pad = ThreeOf(a.at(4), rank, 0),
              apart = ThreeOf(a.at(back ? 7 : 5), rank, 1), taps = ThreeOf(weight->shape, 2),
              in = ThreeOf(x->shape, 2);
  const Three more = back ? ThreeOf(a.at(5), rank, 0) : Three{};
  const int64_t groups = a.at(6).Int(), batch = x->shape[0], from = x->shape[1],
                to = back ? weight->shape[1] * groups : weight->shape[0];
  if (groups < 1 || from % groups || to % groups ||
      (back ? weight->shape[0] != from : weight->shape[1] != from / groups) || weight->numel() == 0)
    throw Unsupported("channels that do not fit");
  // Whether padding is multiplied by an infinite weight depends on the algorithm that libtorch
  // chooses.
  if (!back && (pad[0] || pad[1] || pad[2]) &&
      !std::all_of(weight->real.begin(), weight->real.end(),
                   [](double w) { return std::isfinite(w); }))
    throw Unsupported("infinite weights beside padding");
  Shape shape = {batch, to};
  for (size_t d = 3 - rank; d < 3; ++d) {
    if (step[d] < 1 || apart[d] < 1) throw Unsupported("windows that do not move");
    const int64_t reach = apart[d] * (taps[d] - 1);
    shape.push_back(back ? (in[d] - 1) * step[d] - 2 * pad[d] + reach + more[d] + 1
                         : (in[d] + 2 * pad[d] - reach - 1) / step[d] + 1);
    if (shape.back() < 1 || (!back && in[d] + 2 * pad[d] <= reach))
      throw Unsupported("a result without elements");
  }
  // Before it is computed: WorkOf() is asked afterwards.
  if (double(Numel(back ? x->shape : shape)) * double(weight->numel() / weight->shape[0]) >
      kMaxProducts)
    throw Unsupported("more work than libtorch's start");
  auto out = Zeros(base::Dtype::kFloat64, shape);
  const Three size = ThreeOf(shape, 2), narrow = back ? in : size, wide = back ? size : in;
  const int64_t places = Count(size), elements = Count(in), own_from = from / groups,
                own_to = to / groups;
  std::vector<Terms> sums(static_cast<size_t>(places));
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t o = 0; o < to; ++o) {
      std::fill(sums.begin(), sums.end(), Terms{});
      for (int64_t c = 0; c < own_from; ++c) {
        const int64_t source = o / own_to * own_from + c;
        const double* values = x->real.data() + (n * from + source) * elements;
        const double* filter =
            weight->real.data() +
            (back ? source * own_to + o % own_to : o * own_from + c) * Count(taps);
        for (int64_t t = 0; t < Count(taps); ++t) {
          const Three tap = PlaceOf(t, taps);
          for (int64_t i = 0; i < Count(narrow); ++i) {
            const Three at = PlaceOf(i, narrow);
            int64_t place = 0;
            bool inside = true;
            for (size_t d = 0; d < 3; ++d) {
              const int64_t p = at[d] * step[d] - pad[d] + tap[d] * apart[d];
              inside &= p >= 0 && p < wide[d];
              place = place * wide[d] + p;
            }
            if (inside) sums[size_t(back ? place : i)].Add(values[back ? i : place] * filter[t]);
          }
        }
      }
      for (int64_t i = 0; i < places; ++i)
        out->real[size_t((n * to + o) * places + i)] = sums[size_t(i)].Sum();
    }
  if (At(a, 2).IsNone()) return {TensorPtr(out)};
  const TensorPtr& bias = a[2].AsTensor();
  if (!bias->IsReal() || bias->numel() != to) throw Unsupported("a bias of another shape");
  for (int64_t i = 0; i < out->numel(); ++i)
    out->real[size_t(i)] += bias->real[size_t(i / places % to)];
  return {TensorPtr(out)};
}

// The form in which traces write both: (x, weight, bias, stride, padding, dilation, transposed,
// output_padding, groups, …).
Results ConvolveEitherWay(const Args& a) {
  const Value &padding = a.at(7), &groups = a.at(8);
  return a.at(6).Bool() ? Convolve<true>({a[0], a[1], a[2], a[3], a[4], padding, groups, a[5]})
                        : Convolve<false>({a[0], a[1], a[2], a[3], a[4], a[5], groups});
}

const OperationTable kWindows = {
    {"_convolution", ConvolveEitherWay},  {"convolution", ConvolveEitherWay},
    {"conv1d", Convolve<false>},          {"conv2d", Convolve<false>},
    {"conv3d", Convolve<false>},          {"conv_transpose1d", Convolve<true>},
    {"conv_transpose2d", Convolve<true>}, {"conv_transpose3d", Convolve<true>},
};
}  // namespace

const OperationTable& WindowOperations() { return kWindows; }

}  // namespace akgen::task::evaluate
