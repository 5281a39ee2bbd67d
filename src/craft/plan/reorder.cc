// Programs for graphs in which the elements of a row change places: windows (pooling), reversed, shifted and padded
// rows, running sums. The leading dimensions are the rows, the others lie in a row, whose places are computed once per
// core.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "craft/craft.h"
#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
namespace {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;
using Shape = std::vector<int64_t>;

struct Extent {
  int64_t n = 1;
  std::string text = "1";
};
using RowDims = std::vector<Extent>;

struct RowValue {
  std::string text;
  bool full = false;    // differs from row to row
  bool number = false;  // no tile
  RowDims dims;         // of a row
};

int64_t Width(const RowDims& d) {
  int64_t n = 1;
  for (const Extent& e : d) n *= e.n;
  return n;
}
std::string Product(const RowDims& d, size_t from, size_t to) {
  std::string out;
  for (size_t i = from; i < to; ++i)
    if (d[i].text != "1")
      out +=
          (out.empty() ? "" : " * ") + (d[i].text.find(' ') == std::string::npos ? d[i].text : "(" + d[i].text + ")");
  return out.empty() ? "1" : out;
}
std::string Product(const RowDims& d) { return Product(d, 0, d.size()); }
bool Same(const RowDims& a, const RowDims& b) { return Product(a) == Product(b) && Width(a) == Width(b); }

class ReorderWriter {
 public:
  ReorderWriter(const PlanTask& t, const PlanCase& c, size_t leading, bool windows)
      : task_(t), case_(c), leading_(leading), windows_(windows) {}

  std::string Run() {
    Inputs();
    for (const GraphNode& n : case_.graph.nodes)
      if (n.ChangesOperand()) throw Unplanned{"a value that is changed in place"};
    std::set<std::string> needed = Needed();
    for (const GraphNode& n : case_.graph.nodes) {
      if (!needed.count(n.id())) continue;
      if (n.out.size() != 1) throw Unplanned{"operation " + n.op + " with several results"};
      values_[n.id()] = One(n.op, n.args, n.out[0].shape);
    }
    return Program();
  }
  // UB that one row takes, in bytes.
  int64_t Bytes(const ir::S& s) const {
    if (const ir::Scalar* c = ir::AsConst(s)) return c->i;
    if (s->kind == ir::SKind::kVar) return extent_.count(s->text) ? extent_.at(s->text) : 1;
    int64_t a = Bytes(s->args[0]), b = s->args.size() > 1 ? Bytes(s->args[1]) : 1;
    if (s->text == "+") return a + b;
    if (s->text == "-") return a - b;
    if (s->text == "*") return a * b;
    return s->text == "ceil_div" ? (a + b - 1) / b : std::max(a, b);
  }

 private:
  // Values that count: of what zeros are shaped like, nobody asks for the elements.
  std::set<std::string> Needed() const {
    std::set<std::string> out(case_.graph.outputs.begin(), case_.graph.outputs.end());
    for (auto n = case_.graph.nodes.rbegin(); n != case_.graph.nodes.rend(); ++n)
      if (n->op != "zeros_like" && out.count(n->id()))
        for (const GraphArg& a : n->args) record::ForEachTensor(a, [&](const std::string& id) { out.insert(id); });
    return out;
  }
  // ---- inputs and numbers ----
  void Inputs() {
    for (const PlanParam& p : task_.params)
      if (auto it = case_.shapes.find(p.id); it != case_.shapes.end() && !p.is_list && Numel(it->second) > Numel(base_))
        base_ = it->second, like_ = p.id;
    if (like_.empty() || leading_ > base_.size()) throw Unplanned{"no input spans the rows"};
    for (size_t i = 0; i < leading_; ++i) rows_ *= base_[i];
    for (size_t i = leading_; i < base_.size(); ++i)
      row_.push_back(Named("s", base_[i], fmt::format("{}.shape[{}]", like_, i)));
  }
  Extent Named(const std::string& kind, int64_t n, const std::string& host) {
    for (const auto& [name, text] : host_)
      if (text == host) return {n, name};
    std::string name = fmt::format("{}{}", kind, host_.size());
    host_.push_back({name, host});
    extent_[name] = n;
    return {n, name};
  }
  const PlanParam* Param(const std::string& id) const {
    for (const PlanParam& p : task_.params)
      if (p.id == id && !p.is_attr && !p.is_list) return &p;
    return nullptr;
  }
  RowValue Value(const std::string& id) {
    if (auto it = values_.find(id); it != values_.end()) return it->second;
    const PlanParam* p = Param(id);
    auto it = case_.shapes.find(id);
    if (!p || it == case_.shapes.end()) throw Unplanned{"a constant tensor"};
    const Shape& shape = it->second;
    if (Numel(shape) == 1 && rows_ > 1) {
      items_.insert(id);
      return values_[id] = {fmt::format("item({}[0])", id), false, true, {}};
    }
    RowValue v{id + "_ub", false, false, {}};
    v.full = shape.size() == base_.size() &&
             std::equal(shape.begin(), shape.begin() + static_cast<long>(leading_), base_.begin());
    size_t from = v.full ? leading_ : 0;
    if (!v.full && shape.size() > row_.size()) throw Unplanned{"an input that spans neither the rows nor a row"};
    for (size_t i = from; i < shape.size(); ++i) {
      const Extent& base = row_[row_.size() - (shape.size() - i)];
      v.dims.push_back(shape[i] == 1        ? Extent{}
                       : shape[i] == base.n ? base
                                            : Named("s", shape[i], fmt::format("{}.shape[{}]", id, i)));
    }
    loads_.push_back(id);
    return values_[id] = v;
  }
  std::string Number(const record::GraphNumber& n) {
    auto text = HostNumber(n);
    if (!text) throw Unplanned{"a number that is read from a tensor"};
    if (n.IsConstant()) return *text;
    for (const auto& [name, host] : numbers_)
      if (host == *text) return name;
    numbers_.push_back({fmt::format("h{}", numbers_.size()), *text});
    return numbers_.back().first;
  }
  RowValue Operand(const GraphArg& a) {
    if (a.IsTensor()) return Value(a.tensor);
    if (!a.IsNumber()) throw Unplanned{"a list as an operand"};
    return {Number(a.number), false, true, {}};
  }
  static int64_t Plain(const GraphArg& a) { return a.number.HasBool() ? a.number.Real() != 0 : a.number.Int(); }
  static bool Flag(const GraphArg& a) { return a.IsNumber() && Plain(a) != 0; }
  // A dimension of the value by its place in a row.
  size_t InRow(int64_t dim, const RowValue& x) const {
    int64_t rank = static_cast<int64_t>(x.dims.size() + (x.full ? leading_ : 0));
    int64_t at = (dim < 0 ? dim + rank : dim) - (x.full ? static_cast<int64_t>(leading_) : 0);
    if (at < 0 || at >= static_cast<int64_t>(x.dims.size())) throw Unplanned{"rows that meet"};
    return static_cast<size_t>(at);
  }
  std::vector<size_t> InRow(const GraphArg& a, const RowValue& x) const {
    std::vector<size_t> out;
    if (a.IsNumber()) return {InRow(Plain(a), x)};
    for (int64_t d : a.Ints()) out.push_back(InRow(d, x));
    return out;
  }

  // ---- lines ----
  RowValue Line(const std::string& text, bool full, RowDims dims) {
    std::string name = fmt::format("v{}", lines_.size());
    lines_.push_back(fmt::format("{} = {}", name, text));
    return {name, full, false, std::move(dims)};
  }
  // Elements of x along a dimension: number c of them is that at first + step * c. Where there is none, `fill`;
  // "": the nearest one that is there.
  RowValue Take(const RowValue& x, size_t dim, const std::string& first, int64_t step, const Extent& count, bool inside,
                const std::string& fill = "") {
    if (x.number) throw Unplanned{"elements of a number"};
    RowDims out = x.dims;
    out[dim] = count;
    std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}", Product(x.dims, 0, dim), x.dims[dim].text,
                                  Product(x.dims, dim + 1, x.dims.size()), first, step, count.text, inside);
    size_t k = std::find(keys_.begin(), keys_.end(), key) - keys_.begin();
    if (k == keys_.size()) keys_.push_back(key), Places(k, x.dims, dim, first, step, out, inside);
    std::string taken = fmt::format("row_gather({}, k{})", x.text, k);
    if (!inside && !fill.empty()) {
      masks_.insert(k);
      taken = fmt::format("where(m{} > 0.5, {}, {})", k, taken, fill);
    }
    return Line(taken, x.full, out);
  }
  void Places(size_t k, const RowDims& from, size_t dim, const std::string& first, int64_t step, const RowDims& to,
              bool inside) {
    std::string inner = Product(from, dim + 1, from.size()), id = std::to_string(k), c = "j" + id;
    bool outer = Product(from, 0, dim) != "1", wraps = inner != "1";
    places_ += fmt::format("        j{} = cast(iota(0, {}), f32)\n", k, Product(to));
    if (wraps) places_ += fmt::format("        t{0} = floor((j{0} + 0.5) / float({1}))\n", k, inner), c = "t" + id;
    if (outer)
      places_ += fmt::format("        a{0} = floor(({1} + 0.5) / float({2}))\n        c{0} = {1} - a{0} * float({2})\n",
                             k, c, to[dim].text);
    std::string along = outer ? "c" + id : c;
    std::string f = step == 0    ? fmt::format("{} * 0.0", along)
                    : step == 1  ? along
                    : step == -1 ? "-" + along
                                 : fmt::format("{} * {}.0", along, step);
    if (first != "0") f += fmt::format(" + float({})", first);
    places_ += fmt::format("        f{} = {}\n", k, f);
    if (!inside)
      masks_text_[k] =
          fmt::format("        m{0}[:] = where((f{0} >= 0.0) & (f{0} < float({1})), 1.0, 0.0)\n", k, from[dim].text);
    std::string place = inside ? "f" + id : fmt::format("minimum(maximum(f{}, 0.0), float({} - 1))", k, from[dim].text);
    if (outer) place = fmt::format("a{} * float({}) + {}", k, from[dim].text, place);
    if (wraps) place = fmt::format("({0}) * float({1}) + j{2} - t{2} * float({1})", place, inner, k);
    places_ += fmt::format("        k{}[:] = cast({}, i32)\n\x01{}\n", k, place, k);
    widths_.push_back(Product(to));
  }
  RowValue Spread(RowValue x, const RowDims& to) {
    if (x.number || Width(x.dims) == 1 || Same(x.dims, to)) return x;
    while (x.dims.size() < to.size()) x.dims.insert(x.dims.begin(), Extent{});
    for (size_t i = 0; i < to.size(); ++i) {
      if (x.dims[i].text == to[i].text) continue;
      if (x.dims[i].n != 1) throw Unplanned{"rows of different length"};
      x = Take(x, i, "0", 0, to[i], true);
    }
    return x;
  }
  RowValue Element(const std::string& op, const GraphArgs& a) {
    std::vector<RowValue> operands;
    std::map<size_t, size_t> place;
    RowDims dims;
    bool full = false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!a[i].IsTensor() && !a[i].IsNumber()) continue;
      if (a[i].number.IsConstant() && std::holds_alternative<std::string>(a[i].number.value)) continue;
      place[i] = operands.size();
      operands.push_back(Operand(a[i]));
      const RowValue& v = operands.back();
      full |= v.full;
      if (v.dims.size() > dims.size()) dims.insert(dims.begin(), v.dims.size() - dims.size(), Extent{});
      for (size_t d = 0; d < v.dims.size(); ++d)
        if (Extent& to = dims[dims.size() - 1 - d]; to.n == 1) to = v.dims[v.dims.size() - 1 - d];
    }
    for (RowValue& v : operands) v = Spread(v, dims);
    auto text = ElementText(op, a, [&](size_t i) { return operands.at(place.at(i)).text; });
    if (!text) throw Unplanned{"the operation " + op};
    return Line(*text, full, dims);
  }

  // ---- operations ----
  RowValue One(const std::string& op, const GraphArgs& a, const Shape& shape) {
    static const std::set<std::string> kSame = {"clone", "contiguous", "double", "float", "to", "type_as", "detach"};
    static const std::set<std::string> kShaped = {"reshape", "view", "unsqueeze", "squeeze", "flatten"};
    if (kSame.count(op)) return Value(a[0].tensor);
    if (kShaped.count(op)) return Reshaped(Value(a[0].tensor), shape);
    if (op == "zeros_like" || op == "zeros") return {"0.0", false, true, {}};
    if (op == "flip") {
      RowValue x = Operand(a[0]);
      for (size_t d : InRow(a[1], x)) x = Take(x, d, x.dims[d].text + " - 1", -1, x.dims[d], true);
      return x;
    }
    if (op == "slice" || op == "narrow") return Part(op, a, shape);
    if (op == "select") return Selected(a);
    if (op == "cat") return Joined(a, shape);
    if (op == "constant_pad_nd") return Padded(a);
    if (op == "cumsum" || op == "cumprod") return Running(op, a);
    if (op.rfind("avg_pool", 0) == 0 || op.rfind("max_pool", 0) == 0) return Pooled(op, a);
    if (op == "sum" || op == "mean" || op == "amax" || op == "amin" || op == "prod") return Reduced(op, a, shape);
    return Element(op, a);
  }
  RowValue Reshaped(RowValue x, const Shape& shape) {
    size_t skip = 0;
    for (int64_t n = 1; x.full && n < rows_ && skip < shape.size(); ++skip) n *= shape[skip];
    RowDims to;
    size_t at = 0;
    for (size_t i = skip; i < shape.size(); ++i) {
      Extent e;
      RowDims joined;
      while (shape[i] > 1 && e.n < shape[i] && at < x.dims.size()) e.n *= x.dims[at].n, joined.push_back(x.dims[at++]);
      if (e.n != shape[i]) throw Unplanned{"rows that are cut in other places"};
      e.text = Product(joined);
      to.push_back(e);
    }
    while (at < x.dims.size() && x.dims[at].n == 1) ++at;
    if (at != x.dims.size()) throw Unplanned{"rows that are cut in other places"};
    x.dims = to;
    return x;
  }
  RowValue Part(const std::string& op, const GraphArgs& a, const Shape& shape) {
    RowValue x = Operand(a[0]);
    size_t d = InRow(Plain(a[1]), x);
    int64_t start = a[2].IsNone() ? 0 : Plain(a[2]), step = op == "slice" ? Plain(a[4]) : 1,
            n = shape[shape.size() - (x.dims.size() - d)];
    if (start < 0) throw Unplanned{"a part counted from the end"};
    bool all = op == "slice" && (a[3].IsNone() || Plain(a[3]) > (int64_t{1} << 40)) && step == 1;
    if (all && start == 0) return x;
    return Take(
        x, d, std::to_string(start), step,
        all ? Named("o", n, fmt::format("{} - {}", OnHost(x.dims[d].text), start)) : Extent{n, std::to_string(n)},
        true);
  }
  RowValue Selected(const GraphArgs& a) {
    RowValue x = Operand(a[0]);
    size_t d = InRow(Plain(a[1]), x);
    if (Plain(a[2]) < 0) throw Unplanned{"a part counted from the end"};
    x = Take(x, d, std::to_string(Plain(a[2])), 1, Extent{}, true);
    x.dims.erase(x.dims.begin() + static_cast<long>(d));
    return x;
  }
  // Each part at its place among zeros, added up.
  RowValue Joined(const GraphArgs& a, const Shape& shape) {
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
      sum = sum.text.empty() ? placed : Line(fmt::format("{} + {}", sum.text, placed.text), true, placed.dims);
    }
    if (Numel(shape) != Width(sum.dims) * rows_) throw Unplanned{"parts that rows do not hold"};
    return sum;
  }
  Shape ShapeOf(const std::string& id) const {
    if (auto it = case_.shapes.find(id); it != case_.shapes.end()) return it->second;
    for (const GraphNode& n : case_.graph.nodes)
      if (n.id() == id) return n.out[0].shape;
    throw Unplanned{"a constant tensor"};
  }
  RowValue Padded(const GraphArgs& a) {
    RowValue x = Operand(a[0]);
    const std::vector<int64_t> pads = a[1].Ints();
    for (size_t i = 0; i * 2 < pads.size(); ++i) {
      int64_t before = pads[i * 2], after = pads[i * 2 + 1];
      if (before == 0 && after == 0) continue;
      size_t d = InRow(-1 - static_cast<int64_t>(i), x);
      Extent to =
          Named("o", x.dims[d].n + before + after, fmt::format("{} + {}", OnHost(x.dims[d].text), before + after));
      x = Take(x, d, std::to_string(-before), 1, to, false, Number(a[2].number));
    }
    return x;
  }
  RowValue Running(const std::string& op, const GraphArgs& a) {
    RowValue x = Operand(a[0]);
    size_t d = InRow(Plain(a[1]), x);
    if (Width(x.dims) != x.dims[d].n) throw Unplanned{"running values along one of several dimensions of a row"};
    return Line(fmt::format("row_{}({})", op, x.text), x.full, x.dims);
  }
  RowValue Reduced(const std::string& op, const GraphArgs& a, const Shape& shape) {
    RowValue x = Operand(a[0]);
    int64_t gone = 1;
    bool some = a.size() > 2 && (a[1].IsNumber() || !a[1].list.empty());
    if (!some && leading_ > 0) throw Unplanned{"rows that meet"};
    if (some)
      for (size_t d : InRow(a[1], x)) gone *= x.dims[d].n;
    if (some && gone != Width(x.dims)) throw Unplanned{"reductions along one of several dimensions of a row"};
    std::string how = op == "amax"   ? "max"
                      : op == "amin" ? "min"
                      : op == "mean" ? "sum"
                                     : op,
                text = fmt::format("row_{}({})", how, x.text);
    if (op == "mean") text += fmt::format(" / float({})", Product(x.dims));
    return Line(text, x.full, RowDims(shape.size() >= leading_ ? shape.size() - leading_ : 0));
  }
  // Windows along one dimension after the other.
  RowValue Pooled(const std::string& op, const GraphArgs& a) {
    bool mean = op[0] == 'a';
    RowValue x = Operand(a[0]);
    const Shape size = a[1].Ints(), stride = a[2].list.empty() ? size : a[2].Ints(), pad = a[3].Ints();
    const Shape apart = mean ? Shape(size.size(), 1) : a[4].Ints();
    if (Flag(a[mean ? 4 : 5])) throw Unplanned{"windows that leave the padding"};
    if (mean && (!Flag(a[5]) || (a.size() > 6 && !a[6].IsNone()))) throw Unplanned{"means over what a window holds"};
    int64_t elements = 1;
    for (size_t i = size.size(); i-- > 0; elements *= size[i]) {
      size_t d = InRow(static_cast<int64_t>(i) - static_cast<int64_t>(size.size()), x);
      int64_t room = 2 * pad[i] - apart[i] * (size[i] - 1) - 1;
      Extent count = Named("o", (x.dims[d].n + room) / stride[i] + 1,
                           fmt::format("({} + ({})) // {} + 1", OnHost(x.dims[d].text), room, stride[i]));
      RowValue all;
      if (windows_) {
        RowDims to = x.dims;
        to[d] = count;
        x = Line(fmt::format("row_window_{}({}, {}, {}, {}, {}, {}, {}, {}, {})", mean ? "sum" : "max", x.text,
                             Product(x.dims, 0, d), x.dims[d].text, Product(x.dims, d + 1, x.dims.size()), count.text,
                             size[i], stride[i], apart[i], pad[i]),
                 x.full, to);
        continue;
      }
      for (int64_t j = 0; j < size[i]; ++j) {
        // Of the largest element nothing is lost when one is taken twice.
        RowValue one = Take(x, d, std::to_string(j * apart[i] - pad[i]), stride[i], count, pad[i] == 0,
                            mean            ? "0.0"
                            : apart[i] == 1 ? ""
                                            : "(-inf)");
        all = j == 0 ? one
                     : Line(fmt::format(fmt::runtime(mean ? "{} + {}" : "maximum({}, {})"), all.text, one.text), x.full,
                            one.dims);
      }
      x = all;
    }
    return mean ? Line(fmt::format("{} / {}.0", x.text, elements), x.full, x.dims) : x;
  }

  // ---- text ----
  std::string OnHost(const std::string& text) const { return text; }  // extents have the same names there
  std::string Program() {
    const std::vector<std::string>& outs = case_.graph.outputs;
    if (outs.size() != task_.outputs.size()) throw Unplanned{"the number of outputs"};
    std::string args, buffers, resident, loads, compute, stores, made, names, passed;
    std::vector<RowValue> results;
    for (const std::string& o : outs) results.push_back(Value(o));
    std::string kernel_args;
    for (const PlanParam& p : task_.params) {
      bool loaded = std::count(loads_.begin(), loads_.end(), p.id);
      if (p.is_attr || (!loaded && !items_.count(p.id))) continue;
      passed += p.id + ", ";
      if (!loaded) {
        args += fmt::format("{}: gm[1], ", p.id);
        continue;
      }
      const RowValue& v = values_.at(p.id);
      std::string w = Product(v.dims);
      args += v.full ? fmt::format("{}: gm[rows, {}], ", p.id, w) : fmt::format("{}: gm[{}], ", p.id, w);
      buffers += v.full ? fmt::format("    {0}_ub = ub(tile, {1}, dtype={0}.dtype)\n", p.id, w)
                        : fmt::format("    {0}_ub = ub({1}, dtype={0}.dtype)\n", p.id, w);
      (v.full ? loads : resident) += v.full ? fmt::format("            load({0}_ub, {0}[i : i + n, :])\n", p.id)
                                            : fmt::format("        load({0}_ub, {0}[:])\n", p.id);
    }
    for (size_t o = 0; o < results.size(); ++o) {
      const RowValue& v = results[o];
      if (!v.full || !base::IsFloating(task_.outputs[o].dtypes.at(case_.column)) || task_.outputs[o].is_list ||
          !task_.outputs[o].inplace_of.empty())
        throw Unplanned{"an output that rows do not hold"};
      std::string w = Product(v.dims), shape;
      args += fmt::format("y{}: gm[rows, {}], ", o, w);
      passed += fmt::format("y{}, ", o);
      buffers += fmt::format("    y{0}_ub = ub(tile, {1}, dtype=y{0}.dtype)\n", o, w);
      compute += fmt::format("            y{}_ub[:] = {}\n", o, v.text);
      stores += fmt::format("            store(y{0}[i : i + n, :], y{0}_ub)\n", o);
      for (const Extent& e : v.dims) shape += (shape.empty() ? "" : ", ") + e.text;
      shape = leading_ == 0
                  ? fmt::format("[{}]", shape.empty() ? "1" : shape)
                  : fmt::format("{}.shape[:{}]{}", like_, leading_, shape.empty() ? "" : " + [" + shape + "]");
      made += fmt::format("    y{} = empty({}, column({}))\n", o, shape, DtypeList(task_.outputs[o].dtypes));
    }
    for (size_t k = 0; k < keys_.size(); ++k) {
      buffers += fmt::format("    k{} = ub({}, dtype=i32)\n", k, widths_[k]);
      if (masks_.count(k)) buffers += fmt::format("    m{} = ub({}, dtype=f32)\n", k, widths_[k]);
      std::string mark = fmt::format("\x01{}\n", k);
      places_.replace(places_.find(mark), mark.size(), masks_.count(k) ? masks_text_[k] : "");
    }
    std::string before;
    for (const std::string& line : lines_) before += "            " + line + "\n";
    for (const auto& [name, text] : host_) names += name + ", ", kernel_args += name + ", ";
    for (const auto& [name, text] : numbers_) names += name + ", ", kernel_args += text + ", ";
    std::string body = fmt::format(
        "@kernel\ndef kernel0({}rows, {}per_core, tile):\n{}    first = core() * per_core\n    last = min(first + "
        "per_core, rows)\n",
        args, names, buffers);
    if (!resident.empty()) body += "    with copyin:\n" + resident;
    if (!places_.empty()) body += "    with compute:\n" + places_;
    body += "    for i, n in tiles(first, last, tile):\n        with copyin:\n" + loads + "        with compute:\n" +
            before + compute + "        with copyout:\n" + stores;
    std::string host = Parameters(task_) + fmt::format("    require(len({}.shape) == {})\n", like_, base_.size());
    for (const auto& [name, text] : host_) host += fmt::format("    {} = {}\n", name, text);
    host += fmt::format("    rows = {}.numel // ({})\n", like_, Product(row_)) + made;
    host += "    per_core = ceil_div(rows, best_cores())\n    tile = fit(per_core)\n";
    return body + "\n\n" + host +
           fmt::format("    kernel0[ceil_div(rows, per_core)]({}rows, {}per_core, tile)\n", passed, kernel_args);
  }

  const PlanTask& task_;
  const PlanCase& case_;
  size_t leading_;
  bool windows_;  // by row_window_…, which needs more of UB than places one by one
  Shape base_;
  std::string like_;
  int64_t rows_ = 1;
  RowDims row_;
  std::map<std::string, RowValue> values_;
  std::vector<std::pair<std::string, std::string>> host_, numbers_;  // names of the host, and what they are
  std::map<std::string, int64_t> extent_;                            // of those that are extents, in this case
  std::vector<std::string> loads_, lines_, keys_, widths_;
  std::set<std::string> items_;
  std::string places_;
  std::set<size_t> masks_;
  std::map<size_t, std::string> masks_text_;
};

// Programs for all cases must be one program.
std::string WriteAll(const PlanTask& task, const Target& target, size_t leading, bool windows) {
  std::string text;
  for (const PlanCase& c : task.cases) {
    std::string mine = ReorderWriter(task, c, leading, windows).Run();
    if (!text.empty() && mine != text) throw Unplanned{"cases that need different kernels"};
    text = mine;
  }
  Compiled compiled = Compile(text, target);
  if (!compiled.diagnostics.empty())
    throw Unplanned{"the program is refused: " + compiled.diagnostics.list()[0].message};
  for (const PlanCase& c : task.cases) {
    ReorderWriter w(task, c, leading, windows);
    w.Run();
    for (const LoweredProgram& p : compiled.lowered)
      for (const LoweredKernel& k : p.kernels)
        if (w.Bytes(k.ub_bytes) > RoomForRows(target)) throw Unplanned{"rows that do not fit in UB"};
  }
  return text;
}
}  // namespace

base::Result<std::string> PlanReorder(const PlanTask& task, const Target& target) {
  size_t most = 0;
  for (const PlanCase& c : task.cases)
    for (const auto& [id, s] : c.shapes) most = std::max(most, s.size());
  std::string why = "no tensors";
  for (size_t leading = most; leading-- > 0;) {
    for (bool windows : {true, false}) {
      try {
        return WriteAll(task, target, leading, windows);
      } catch (const Unplanned& u) { why = u.why; } catch (const std::exception& e) {
        why = std::string("an operation with unusual operands: ") + e.what();
      }
    }
  }
  return NoRule(why);
}

}  // namespace akgen::craft
