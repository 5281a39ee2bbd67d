// Inputs, lines and text of a kernel of rows.
#include "craft/plan/row_kernel.h"

namespace akgen::craft {

Extent HostNames::Named(const std::string& kind, int64_t n, const std::string& host) {
  for (const auto& [name, text] : extents_)
    if (text == host) return {n, name};
  std::string name = fmt::format("{}{}", kind, extents_.size());
  extents_.push_back({name, host});
  values_[name] = n;
  return {n, name};
}

std::string HostNames::Number(const record::GraphNumber& n) {
  auto text = HostNumber(n);
  if (!text) throw Unplanned{"a number that is read from a tensor"};
  if (n.IsConstant()) return *text;
  for (const auto& [name, host] : numbers_)
    if (host == *text) return name;
  numbers_.push_back({fmt::format("h{}", numbers_.size()), *text});
  return numbers_.back().first;
}

int64_t HostNames::ValueOf(const std::string& extent) const {
  auto it = values_.find(extent);
  return it == values_.end() ? 1 : it->second;
}

RowKernel::RowKernel(const PlanTask& t, const PlanCase& c, size_t leading)
    : task_(t), case_(c), leading_(leading) {
  for (const PlanParam& p : task_.params)
    if (auto it = case_.shapes.find(p.id);
        it != case_.shapes.end() && !p.is_list && Numel(it->second) > Numel(base_))
      base_ = it->second, like_ = p.id;
  if (like_.empty() || leading_ > base_.size()) throw Unplanned{"no input spans the rows"};
  for (size_t i = 0; i < leading_; ++i) rows_ *= base_[i];
  for (size_t i = leading_; i < base_.size(); ++i)
    row_.push_back(names_.Named("s", base_[i], fmt::format("{}.shape[{}]", like_, i)));
}

const PlanParam* RowKernel::Param(const std::string& id) const {
  for (const PlanParam& p : task_.params)
    if (p.id == id && !p.is_attr && !p.is_list) return &p;
  return nullptr;
}

RowValue RowKernel::Value(const std::string& id) {
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
  if (!v.full && shape.size() > row_.size())
    throw Unplanned{"an input that spans neither the rows nor a row"};
  for (size_t i = from; i < shape.size(); ++i) {
    const Extent& base = row_[row_.size() - (shape.size() - i)];
    v.dims.push_back(shape[i] == 1 ? Extent{}
                     : shape[i] == base.n
                         ? base
                         : names_.Named("s", shape[i], fmt::format("{}.shape[{}]", id, i)));
  }
  loads_.push_back(id);
  return values_[id] = v;
}

RowValue RowKernel::Operand(const GraphArg& a) {
  if (a.IsTensor()) return Value(a.tensor);
  if (!a.IsNumber()) throw Unplanned{"a list as an operand"};
  return {names_.Number(a.number), false, true, {}};
}

Shape RowKernel::ShapeOf(const std::string& id) const {
  if (auto it = case_.shapes.find(id); it != case_.shapes.end()) return it->second;
  for (const GraphNode& n : case_.graph.nodes)
    if (n.id() == id) return n.out[0].shape;
  throw Unplanned{"a constant tensor"};
}

size_t RowKernel::InRow(int64_t dim, const RowValue& x) const {
  int64_t rank = static_cast<int64_t>(x.dims.size() + (x.full ? leading_ : 0));
  int64_t at = (dim < 0 ? dim + rank : dim) - (x.full ? static_cast<int64_t>(leading_) : 0);
  if (at < 0 || at >= static_cast<int64_t>(x.dims.size())) throw Unplanned{"rows that meet"};
  return static_cast<size_t>(at);
}

std::vector<size_t> RowKernel::InRow(const GraphArg& a, const RowValue& x) const {
  std::vector<size_t> out;
  if (a.IsNumber()) return {InRow(Plain(a), x)};
  for (int64_t d : a.Ints()) out.push_back(InRow(d, x));
  return out;
}

RowValue RowKernel::Line(const std::string& text, bool full, RowDims dims) {
  std::string name = fmt::format("v{}", lines_.size());
  lines_.push_back(fmt::format("{} = {}", name, text));
  return {name, full, false, std::move(dims)};
}

RowValue RowKernel::Take(const RowValue& x, size_t dim, const std::string& first, int64_t step,
                         const Extent& count, bool inside, const std::string& fill) {
  if (x.number) throw Unplanned{"elements of a number"};
  RowDims out = x.dims;
  out[dim] = count;
  const size_t k = places_.Of(x.dims, dim, first, step, out, inside);
  std::string taken = fmt::format("row_gather({}, k{})", x.text, k);
  if (!inside && !fill.empty()) {
    places_.AskMask(k);
    taken = fmt::format("where(m{} > 0.5, {}, {})", k, taken, fill);
  }
  return Line(taken, x.full, out);
}

RowValue RowKernel::Spread(RowValue x, const RowDims& to) {
  if (x.number || Width(x.dims) == 1 || Same(x.dims, to)) return x;
  while (x.dims.size() < to.size()) x.dims.insert(x.dims.begin(), Extent{});
  for (size_t i = 0; i < to.size(); ++i) {
    if (x.dims[i].text == to[i].text) continue;
    if (x.dims[i].n != 1) throw Unplanned{"rows of different length"};
    x = Take(x, i, "0", 0, to[i], true);
  }
  return x;
}

std::string RowKernel::Program(const std::vector<std::string>& outputs) {
  if (outputs.size() != task_.outputs.size()) throw Unplanned{"the number of outputs"};
  std::string args, buffers, resident, loads, compute, stores, made, names, passed;
  std::vector<RowValue> results;
  for (const std::string& o : outputs) results.push_back(Value(o));
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
    args +=
        v.full ? fmt::format("{}: gm[rows, {}], ", p.id, w) : fmt::format("{}: gm[{}], ", p.id, w);
    buffers += v.full ? fmt::format("    {0}_ub = ub(tile, {1}, dtype={0}.dtype)\n", p.id, w)
                      : fmt::format("    {0}_ub = ub({1}, dtype={0}.dtype)\n", p.id, w);
    (v.full ? loads : resident) +=
        v.full ? fmt::format("            load({0}_ub, {0}[i : i + n, :])\n", p.id)
               : fmt::format("        load({0}_ub, {0}[:])\n", p.id);
  }
  for (size_t o = 0; o < results.size(); ++o) {
    const RowValue& v = results[o];
    if (!v.full || !base::IsFloating(task_.outputs[o].dtypes.at(case_.column)) ||
        task_.outputs[o].is_list || !task_.outputs[o].inplace_of.empty())
      throw Unplanned{"an output that rows do not hold"};
    std::string w = Product(v.dims), shape;
    args += fmt::format("y{}: gm[rows, {}], ", o, w);
    passed += fmt::format("y{}, ", o);
    buffers += fmt::format("    y{0}_ub = ub(tile, {1}, dtype=y{0}.dtype)\n", o, w);
    compute += fmt::format("            y{}_ub[:] = {}\n", o, v.text);
    stores += fmt::format("            store(y{0}[i : i + n, :], y{0}_ub)\n", o);
    for (const Extent& e : v.dims) shape += (shape.empty() ? "" : ", ") + e.text;
    shape = leading_ == 0 ? fmt::format("[{}]", shape.empty() ? "1" : shape)
                          : fmt::format("{}.shape[:{}]{}", like_, leading_,
                                        shape.empty() ? "" : " + [" + shape + "]");
    made += fmt::format("    y{} = empty({}, column({}))\n", o, shape,
                        DtypeList(task_.outputs[o].dtypes));
  }
  buffers += places_.Buffers();
  const std::string places = places_.Text();
  std::string before;
  for (const std::string& line : lines_) before += "            " + line + "\n";
  for (const auto& [name, text] : names_.Extents())
    names += name + ", ", kernel_args += name + ", ";
  for (const auto& [name, text] : names_.Numbers())
    names += name + ", ", kernel_args += text + ", ";
  std::string body = fmt::format(
      "@kernel\ndef kernel0({}rows, {}per_core, tile):\n{}    first = core() * per_core\n    last "
      "= min(first + "
      "per_core, rows)\n",
      args, names, buffers);
  if (!resident.empty()) body += "    with copyin:\n" + resident;
  if (!places.empty()) body += "    with compute:\n" + places;
  body += "    for i, n in tiles(first, last, tile):\n        with copyin:\n" + loads +
          "        with compute:\n" + before + compute + "        with copyout:\n" + stores;
  std::string host =
      Parameters(task_) + fmt::format("    require(len({}.shape) == {})\n", like_, base_.size());
  for (const auto& [name, text] : names_.Extents())
    host += fmt::format("    {} = {}\n", name, text);
  host += fmt::format("    rows = {}.numel // ({})\n", like_, Product(row_)) + made;
  host += "    per_core = ceil_div(rows, best_cores())\n    tile = fit(per_core)\n";
  return body + "\n\n" + host +
         fmt::format("    kernel0[ceil_div(rows, per_core)]({}rows, {}per_core, tile)\n", passed,
                     kernel_args);
}

}  // namespace akgen::craft
