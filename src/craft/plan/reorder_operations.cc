// Operations on rows and those that move their elements.
#include "craft/plan/reorder_operations.h"

namespace akgen::craft {

// What lies beside the leading dimensions of an operand that spans the rows differs from row to
// row.
static void AlignWithRows(std::vector<RowValue>& operands) {
  std::optional<size_t> row;
  for (const RowValue& v : operands)
    if (v.full) row = std::max(row.value_or(0), v.dims.size());
  for (RowValue& v : operands)
    while (row && !v.full && v.dims.size() > *row) {
      if (v.dims[0].n != 1) throw Unplanned{"rows that meet"};
      v.dims.erase(v.dims.begin());
    }
}

RowValue ReorderOperations::Element(const std::string& op, const GraphArgs& a) {
  std::vector<RowValue> operands;
  std::map<size_t, size_t> place;
  RowDims dims;
  bool full = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].IsTensor() && !a[i].IsNumber()) continue;
    if (a[i].number.IsConstant() && std::holds_alternative<std::string>(a[i].number.value))
      continue;
    place[i] = operands.size();
    operands.push_back(k_.Operand(a[i]));
    full |= operands.back().full;
  }
  AlignWithRows(operands);
  for (const RowValue& v : operands) {
    if (v.dims.size() > dims.size())
      dims.insert(dims.begin(), v.dims.size() - dims.size(), Extent{});
    for (size_t d = 0; d < v.dims.size(); ++d)
      if (Extent& to = dims[dims.size() - 1 - d]; to.n == 1) to = v.dims[v.dims.size() - 1 - d];
  }
  for (RowValue& v : operands) v = k_.Spread(v, dims);
  auto text = ElementText(op, a, [&](size_t i) { return operands.at(place.at(i)).text; });
  if (!text) throw WithoutRule(op);
  return k_.Line(*text, full, dims);
}

RowValue ReorderOperations::Make(const std::string& op, const GraphArgs& a, const Shape& shape) {
  static const std::set<std::string> kSame = {"clone", "contiguous", "double", "float",
                                              "to",    "type_as",    "detach"};
  static const std::set<std::string> kShaped = {"reshape", "view", "unsqueeze", "squeeze",
                                                "flatten"};
  if (kSame.count(op)) return k_.Value(a[0].tensor);
  if (kShaped.count(op)) return Reshaped(k_.Value(a[0].tensor), shape);
  if (op == "zeros_like" || op == "zeros") return {"0.0", false, true, {}};
  if (op == "flip") {
    RowValue x = k_.Operand(a[0]);
    for (size_t d : k_.InRow(a[1], x)) {
      if (d + 1 != x.dims.size()) throw Unplanned{"rows in another order"};  // NestReader::Flipped
      x = k_.Take(x, d, x.dims[d].text + " - 1", -1, x.dims[d], true);
    }
    return x;
  }
  if (op == "slice" || op == "narrow") return Part(op, a, shape);
  if (op == "select") return Selected(a);
  if (op == "cat") return Joined(a, shape);
  if (op == "constant_pad_nd") return Padded(a);
  if (op == "cumsum" || op == "cumprod") return Running(op, a);
  if (op.rfind("avg_pool", 0) == 0 || op.rfind("max_pool", 0) == 0) return Pooled(op, a);
  if (op == "sum" || op == "mean" || op == "amax" || op == "amin" || op == "prod")
    return Reduced(op, a, shape);
  return Element(op, a);
}

RowValue ReorderOperations::Reshaped(RowValue x, const Shape& shape) {
  size_t skip = 0;
  for (int64_t n = 1; x.full && n < k_.rows() && skip < shape.size(); ++skip) n *= shape[skip];
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

RowValue ReorderOperations::Part(const std::string& op, const GraphArgs& a, const Shape& shape) {
  RowValue x = k_.Operand(a[0]);
  size_t d = k_.InRow(RowKernel::Plain(a[1]), x);
  int64_t start = a[2].IsNone() ? 0 : RowKernel::Plain(a[2]),
          step = op == "slice" ? RowKernel::Plain(a[4]) : 1,
          n = shape[shape.size() - (x.dims.size() - d)];
  if (start < 0) throw Unplanned{"a part counted from the end"};
  bool all =
      op == "slice" && (a[3].IsNone() || RowKernel::Plain(a[3]) > (int64_t{1} << 40)) && step == 1;
  if (all && start == 0) return x;
  return k_.Take(x, d, std::to_string(start), step,
                 all ? k_.Names().Named("o", n, fmt::format("{} - {}", x.dims[d].text, start))
                     : Extent{n, std::to_string(n)},
                 true);
}

RowValue ReorderOperations::Selected(const GraphArgs& a) {
  RowValue x = k_.Operand(a[0]);
  size_t d = k_.InRow(RowKernel::Plain(a[1]), x);
  if (RowKernel::Plain(a[2]) < 0) throw Unplanned{"a part counted from the end"};
  x = k_.Take(x, d, std::to_string(RowKernel::Plain(a[2])), 1, Extent{}, true);
  x.dims.erase(x.dims.begin() + static_cast<long>(d));
  return x;
}

RowValue ReorderOperations::Joined(const GraphArgs& a, const Shape& shape) {
  std::vector<std::pair<RowValue, int64_t>> parts;
  size_t d = 0;
  int64_t before = 0, dim = RowKernel::Plain(a[1]);
  for (const GraphArg& p : a[0].list) {
    RowValue x = k_.Operand(p);
    Shape its = k_.ShapeOf(p.tensor);
    if (x.number && x.text != "0.0") throw Unplanned{"numbers that are joined"};
    if (!x.number) d = k_.InRow(dim, x), parts.push_back({x, before});
    before += its[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(its.size()) : dim)];
  }
  if (parts.empty()) throw Unplanned{"zeros that are joined"};
  Extent all{before, std::to_string(before)};
  RowValue sum;
  for (const auto& [x, at] : parts) {
    RowValue placed = k_.Take(x, d, std::to_string(-at), 1, all, false, "0.0");
    sum = sum.text.empty()
              ? placed
              : k_.Line(fmt::format("{} + {}", sum.text, placed.text), true, placed.dims);
  }
  if (Numel(shape) != Width(sum.dims) * k_.rows()) throw Unplanned{"parts that rows do not hold"};
  return sum;
}

RowValue ReorderOperations::Padded(const GraphArgs& a) {
  RowValue x = k_.Operand(a[0]);
  const std::vector<int64_t> pads = a[1].Ints();
  const auto ahead = pads.begin() + std::min<std::ptrdiff_t>(2, std::ssize(pads));
  // A plane need not fit in UB: one dimension after the other (WithWindows).
  if (std::any_of(ahead, pads.end(), [](int64_t p) { return p != 0; }) &&
      *std::min_element(pads.begin(), pads.end()) >= 0)
    throw Unplanned{"padding of several dimensions"};
  for (size_t i = 0; i * 2 < pads.size(); ++i) {
    int64_t before = pads[i * 2], after = pads[i * 2 + 1];
    if (before == 0 && after == 0) continue;
    size_t d = k_.InRow(-1 - static_cast<int64_t>(i), x);
    Extent to = k_.Names().Named("o", x.dims[d].n + before + after,
                                 fmt::format("{} + {}", x.dims[d].text, before + after));
    x = k_.Take(x, d, std::to_string(-before), 1, to, false, k_.Names().Number(a[2].number));
  }
  return x;
}

RowValue ReorderOperations::Running(const std::string& op, const GraphArgs& a) {
  RowValue x = k_.Operand(a[0]);
  size_t d = k_.InRow(RowKernel::Plain(a[1]), x);
  if (Width(x.dims) != x.dims[d].n)
    throw Unplanned{"running values along one of several dimensions of a row"};
  return k_.Line(fmt::format("row_{}({})", op, x.text), x.full, x.dims);
}

RowValue ReorderOperations::Reduced(const std::string& op, const GraphArgs& a, const Shape& shape) {
  RowValue x = k_.Operand(a[0]);
  int64_t gone = 1;
  bool some = a.size() > 2 && (a[1].IsNumber() || !a[1].list.empty());
  if (!some && k_.leading() > 0) throw Unplanned{"rows that meet"};
  if (some)
    for (size_t d : k_.InRow(a[1], x)) gone *= x.dims[d].n;
  if (some && gone != Width(x.dims))
    throw Unplanned{"reductions along one of several dimensions of a row"};
  std::string how = op == "amax"   ? "max"
                    : op == "amin" ? "min"
                    : op == "mean" ? "sum"
                                   : op,
              text = fmt::format("row_{}({})", how, x.text);
  if (op == "mean") text += fmt::format(" / float({})", Product(x.dims));
  return k_.Line(text, x.full,
                 RowDims(shape.size() >= k_.leading() ? shape.size() - k_.leading() : 0));
}

RowValue ReorderOperations::Pooled(const std::string& op, const GraphArgs& a) {
  bool mean = op[0] == 'a';
  RowValue x = k_.Operand(a[0]);
  const Shape size = a[1].Ints(), stride = a[2].list.empty() ? size : a[2].Ints(),
              pad = a[3].Ints();
  const Shape apart = mean ? Shape(size.size(), 1) : a[4].Ints();
  if (RowKernel::Flag(a[mean ? 4 : 5])) throw Unplanned{"windows that leave the padding"};
  if (mean && (!RowKernel::Flag(a[5]) || (a.size() > 6 && !a[6].IsNone())))
    throw Unplanned{"means over what a window holds"};
  int64_t elements = 1;
  for (size_t i = size.size(); i-- > 0; elements *= size[i]) {
    size_t d = k_.InRow(static_cast<int64_t>(i) - static_cast<int64_t>(size.size()), x);
    int64_t room = 2 * pad[i] - apart[i] * (size[i] - 1) - 1;
    Extent count =
        k_.Names().Named("o", (x.dims[d].n + room) / stride[i] + 1,
                         fmt::format("({} + ({})) // {} + 1", x.dims[d].text, room, stride[i]));
    RowValue all;
    if (windows_) {
      RowDims to = x.dims;
      to[d] = count;
      x = k_.Line(fmt::format("row_window_{}({}, {}, {}, {}, {}, {}, {}, {}, {})",
                              mean ? "sum" : "max", x.text, Product(x.dims, 0, d), x.dims[d].text,
                              Product(x.dims, d + 1, x.dims.size()), count.text, size[i], stride[i],
                              apart[i], pad[i]),
                  x.full, to);
      continue;
    }
    for (int64_t j = 0; j < size[i]; ++j) {
      // Of the largest element nothing is lost when one is taken twice.
      RowValue one =
          k_.Take(x, d, std::to_string(j * apart[i] - pad[i]), stride[i], count, pad[i] == 0,
                  mean            ? "0.0"
                  : apart[i] == 1 ? ""
                                  : "(-inf)");
      all = j == 0 ? one
                   : k_.Line(fmt::format(fmt::runtime(mean ? "{} + {}" : "maximum({}, {})"),
                                         all.text, one.text),
                             x.full, one.dims);
    }
    x = all;
  }
  return mean ? k_.Line(fmt::format("{} / {}.0", x.text, elements), x.full, x.dims) : x;
}

}  // namespace akgen::craft
