// Operations that move the elements of a row.
#include "craft/plan/reorder_writer.h"

namespace akgen::craft {

RowValue ReorderWriter::Reshaped(RowValue x, const Shape& shape) {
  size_t skip = 0;
  for (int64_t n = 1; x.full && n < rows_ && skip < shape.size(); ++skip) n *= shape[skip];
  RowDims to;
  size_t at = 0;
  for (size_t i = skip; i < shape.size(); ++i) {
    Extent e;
    RowDims joined;
    while (shape[i] > 1 && e.n < shape[i] && at < x.dims.size())
      e.n *= x.dims[at].n, joined.push_back(x.dims[at++]);
    if (e.n != shape[i]) throw Unplanned{"rows that are cut in other places"};
    e.text = Product(joined);
    to.push_back(e);
  }
  while (at < x.dims.size() && x.dims[at].n == 1) ++at;
  if (at != x.dims.size()) throw Unplanned{"rows that are cut in other places"};
  x.dims = to;
  return x;
}

RowValue ReorderWriter::Part(const std::string& op, const GraphArgs& a, const Shape& shape) {
  RowValue x = Operand(a[0]);
  size_t d = InRow(Plain(a[1]), x);
  int64_t start = a[2].IsNone() ? 0 : Plain(a[2]), step = op == "slice" ? Plain(a[4]) : 1,
          n = shape[shape.size() - (x.dims.size() - d)];
  if (start < 0) throw Unplanned{"a part counted from the end"};
  bool all = op == "slice" && (a[3].IsNone() || Plain(a[3]) > (int64_t{1} << 40)) && step == 1;
  if (all && start == 0) return x;
  return Take(x, d, std::to_string(start), step,
              all ? Named("o", n, fmt::format("{} - {}", OnHost(x.dims[d].text), start))
                  : Extent{n, std::to_string(n)},
              true);
}

RowValue ReorderWriter::Selected(const GraphArgs& a) {
  RowValue x = Operand(a[0]);
  size_t d = InRow(Plain(a[1]), x);
  if (Plain(a[2]) < 0) throw Unplanned{"a part counted from the end"};
  x = Take(x, d, std::to_string(Plain(a[2])), 1, Extent{}, true);
  x.dims.erase(x.dims.begin() + static_cast<long>(d));
  return x;
}

RowValue ReorderWriter::Joined(const GraphArgs& a, const Shape& shape) {
  std::vector<std::pair<RowValue, int64_t>> parts;
  size_t d = 0;
  int64_t before = 0, dim = Plain(a[1]);
  for (const GraphArg& p : a[0].list) {
    RowValue x = Operand(p);
    Shape its = ShapeOf(p.tensor);
    if (x.number && x.text != "0.0") throw Unplanned{"numbers that are joined"};
    if (!x.number) d = InRow(dim, x), parts.push_back({x, before});
    before += its[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(its.size()) : dim)];
  }
  if (parts.empty()) throw Unplanned{"zeros that are joined"};
  Extent all{before, std::to_string(before)};
  RowValue sum;
  for (const auto& [x, at] : parts) {
    RowValue placed = Take(x, d, std::to_string(-at), 1, all, false, "0.0");
    sum = sum.text.empty() ? placed
                           : Line(fmt::format("{} + {}", sum.text, placed.text), true, placed.dims);
  }
  if (Numel(shape) != Width(sum.dims) * rows_) throw Unplanned{"parts that rows do not hold"};
  return sum;
}

Shape ReorderWriter::ShapeOf(const std::string& id) const {
  if (auto it = case_.shapes.find(id); it != case_.shapes.end()) return it->second;
  for (const GraphNode& n : case_.graph.nodes)
    if (n.id() == id) return n.out[0].shape;
  throw Unplanned{"a constant tensor"};
}

RowValue ReorderWriter::Padded(const GraphArgs& a) {
  RowValue x = Operand(a[0]);
  const std::vector<int64_t> pads = a[1].Ints();
  const auto ahead = pads.begin() + std::min<std::ptrdiff_t>(2, std::ssize(pads));
  // A plane need not fit in UB: one dimension after the other (WithWindows).
  if (std::any_of(ahead, pads.end(), [](int64_t p) { return p != 0; }) &&
      *std::min_element(pads.begin(), pads.end()) >= 0)
    throw Unplanned{"padding of several dimensions"};
  for (size_t i = 0; i * 2 < pads.size(); ++i) {
    int64_t before = pads[i * 2], after = pads[i * 2 + 1];
    if (before == 0 && after == 0) continue;
    size_t d = InRow(-1 - static_cast<int64_t>(i), x);
    Extent to = Named("o", x.dims[d].n + before + after,
                      fmt::format("{} + {}", OnHost(x.dims[d].text), before + after));
    x = Take(x, d, std::to_string(-before), 1, to, false, Number(a[2].number));
  }
  return x;
}

RowValue ReorderWriter::Running(const std::string& op, const GraphArgs& a) {
  RowValue x = Operand(a[0]);
  size_t d = InRow(Plain(a[1]), x);
  if (Width(x.dims) != x.dims[d].n)
    throw Unplanned{"running values along one of several dimensions of a row"};
  return Line(fmt::format("row_{}({})", op, x.text), x.full, x.dims);
}

RowValue ReorderWriter::Reduced(const std::string& op, const GraphArgs& a, const Shape& shape) {
  RowValue x = Operand(a[0]);
  int64_t gone = 1;
  bool some = a.size() > 2 && (a[1].IsNumber() || !a[1].list.empty());
  if (!some && leading_ > 0) throw Unplanned{"rows that meet"};
  if (some)
    for (size_t d : InRow(a[1], x)) gone *= x.dims[d].n;
  if (some && gone != Width(x.dims))
    throw Unplanned{"reductions along one of several dimensions of a row"};
  std::string how = op == "amax"   ? "max"
                    : op == "amin" ? "min"
                    : op == "mean" ? "sum"
                                   : op,
              text = fmt::format("row_{}({})", how, x.text);
  if (op == "mean") text += fmt::format(" / float({})", Product(x.dims));
  return Line(text, x.full, RowDims(shape.size() >= leading_ ? shape.size() - leading_ : 0));
}

RowValue ReorderWriter::Pooled(const std::string& op, const GraphArgs& a) {
  bool mean = op[0] == 'a';
  RowValue x = Operand(a[0]);
  const Shape size = a[1].Ints(), stride = a[2].list.empty() ? size : a[2].Ints(),
              pad = a[3].Ints();
  const Shape apart = mean ? Shape(size.size(), 1) : a[4].Ints();
  if (Flag(a[mean ? 4 : 5])) throw Unplanned{"windows that leave the padding"};
  if (mean && (!Flag(a[5]) || (a.size() > 6 && !a[6].IsNone())))
    throw Unplanned{"means over what a window holds"};
  int64_t elements = 1;
  for (size_t i = size.size(); i-- > 0; elements *= size[i]) {
    size_t d = InRow(static_cast<int64_t>(i) - static_cast<int64_t>(size.size()), x);
    int64_t room = 2 * pad[i] - apart[i] * (size[i] - 1) - 1;
    Extent count =
        Named("o", (x.dims[d].n + room) / stride[i] + 1,
              fmt::format("({} + ({})) // {} + 1", OnHost(x.dims[d].text), room, stride[i]));
    RowValue all;
    if (windows_) {
      RowDims to = x.dims;
      to[d] = count;
      x = Line(fmt::format("row_window_{}({}, {}, {}, {}, {}, {}, {}, {}, {})",
                           mean ? "sum" : "max", x.text, Product(x.dims, 0, d), x.dims[d].text,
                           Product(x.dims, d + 1, x.dims.size()), count.text, size[i], stride[i],
                           apart[i], pad[i]),
               x.full, to);
      continue;
    }
    for (int64_t j = 0; j < size[i]; ++j) {
      // Of the largest element nothing is lost when one is taken twice.
      RowValue one =
          Take(x, d, std::to_string(j * apart[i] - pad[i]), stride[i], count, pad[i] == 0,
               mean            ? "0.0"
               : apart[i] == 1 ? ""
                               : "(-inf)");
      all = j == 0 ? one
                   : Line(fmt::format(fmt::runtime(mean ? "{} + {}" : "maximum({}, {})"), all.text,
                                      one.text),
                          x.full, one.dims);
    }
    x = all;
  }
  return mean ? Line(fmt::format("{} / {}.0", x.text, elements), x.full, x.dims) : x;
}

}  // namespace akgen::craft
