// Programs for graphs in which the elements of a row change places: windows (pooling), reversed,
// shifted and padded rows, running sums. The leading dimensions are the rows, the others lie in a
// row, whose places are computed once per core.
#include "craft/plan/reorder_writer.h"

namespace akgen::craft {

std::string ReorderWriter::Run() {
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

int64_t ReorderWriter::Bytes(const ir::S& s) const {
  if (const ir::Scalar* c = ir::AsConst(s)) return c->i;
  if (s->kind == ir::SKind::kVar) return extent_.count(s->text) ? extent_.at(s->text) : 1;
  int64_t a = Bytes(s->args[0]), b = s->args.size() > 1 ? Bytes(s->args[1]) : 1;
  if (s->text == "+") return a + b;
  if (s->text == "-") return a - b;
  if (s->text == "*") return a * b;
  return s->text == "ceil_div" ? (a + b - 1) / b : std::max(a, b);
}

std::set<std::string> ReorderWriter::Needed() const {
  std::set<std::string> out(case_.graph.outputs.begin(), case_.graph.outputs.end());
  for (auto n = case_.graph.nodes.rbegin(); n != case_.graph.nodes.rend(); ++n)
    if (n->op != "zeros_like" && out.count(n->id()))
      for (const GraphArg& a : n->args)
        record::ForEachTensor(a, [&](const std::string& id) { out.insert(id); });
  return out;
}

void ReorderWriter::Inputs() {
  for (const PlanParam& p : task_.params)
    if (auto it = case_.shapes.find(p.id);
        it != case_.shapes.end() && !p.is_list && Numel(it->second) > Numel(base_))
      base_ = it->second, like_ = p.id;
  if (like_.empty() || leading_ > base_.size()) throw Unplanned{"no input spans the rows"};
  for (size_t i = 0; i < leading_; ++i) rows_ *= base_[i];
  for (size_t i = leading_; i < base_.size(); ++i)
    row_.push_back(Named("s", base_[i], fmt::format("{}.shape[{}]", like_, i)));
}

Extent ReorderWriter::Named(const std::string& kind, int64_t n, const std::string& host) {
  for (const auto& [name, text] : host_)
    if (text == host) return {n, name};
  std::string name = fmt::format("{}{}", kind, host_.size());
  host_.push_back({name, host});
  extent_[name] = n;
  return {n, name};
}

const PlanParam* ReorderWriter::Param(const std::string& id) const {
  for (const PlanParam& p : task_.params)
    if (p.id == id && !p.is_attr && !p.is_list) return &p;
  return nullptr;
}

RowValue ReorderWriter::Value(const std::string& id) {
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
                         : Named("s", shape[i], fmt::format("{}.shape[{}]", id, i)));
  }
  loads_.push_back(id);
  return values_[id] = v;
}

std::string ReorderWriter::Number(const record::GraphNumber& n) {
  auto text = HostNumber(n);
  if (!text) throw Unplanned{"a number that is read from a tensor"};
  if (n.IsConstant()) return *text;
  for (const auto& [name, host] : numbers_)
    if (host == *text) return name;
  numbers_.push_back({fmt::format("h{}", numbers_.size()), *text});
  return numbers_.back().first;
}

RowValue ReorderWriter::Operand(const GraphArg& a) {
  if (a.IsTensor()) return Value(a.tensor);
  if (!a.IsNumber()) throw Unplanned{"a list as an operand"};
  return {Number(a.number), false, true, {}};
}

size_t ReorderWriter::InRow(int64_t dim, const RowValue& x) const {
  int64_t rank = static_cast<int64_t>(x.dims.size() + (x.full ? leading_ : 0));
  int64_t at = (dim < 0 ? dim + rank : dim) - (x.full ? static_cast<int64_t>(leading_) : 0);
  if (at < 0 || at >= static_cast<int64_t>(x.dims.size())) throw Unplanned{"rows that meet"};
  return static_cast<size_t>(at);
}

std::vector<size_t> ReorderWriter::InRow(const GraphArg& a, const RowValue& x) const {
  std::vector<size_t> out;
  if (a.IsNumber()) return {InRow(Plain(a), x)};
  for (int64_t d : a.Ints()) out.push_back(InRow(d, x));
  return out;
}

RowValue ReorderWriter::Line(const std::string& text, bool full, RowDims dims) {
  std::string name = fmt::format("v{}", lines_.size());
  lines_.push_back(fmt::format("{} = {}", name, text));
  return {name, full, false, std::move(dims)};
}

RowValue ReorderWriter::Take(const RowValue& x, size_t dim, const std::string& first, int64_t step,
                             const Extent& count, bool inside, const std::string& fill) {
  if (x.number) throw Unplanned{"elements of a number"};
  RowDims out = x.dims;
  out[dim] = count;
  std::string key =
      fmt::format("{}|{}|{}|{}|{}|{}|{}", Product(x.dims, 0, dim), x.dims[dim].text,
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

void ReorderWriter::Places(size_t k, const RowDims& from, size_t dim, const std::string& first,
                           int64_t step, const RowDims& to, bool inside) {
  std::string inner = Product(from, dim + 1, from.size()), id = std::to_string(k), c = "j" + id;
  bool outer = Product(from, 0, dim) != "1", wraps = inner != "1";
  places_ += fmt::format("        j{} = cast(iota(0, {}), f32)\n", k, Product(to));
  if (wraps)
    places_ += fmt::format("        t{0} = floor((j{0} + 0.5) / float({1}))\n", k, inner),
        c = "t" + id;
  if (outer)
    places_ += fmt::format(
        "        a{0} = floor(({1} + 0.5) / float({2}))\n        c{0} = {1} - a{0} * float({2})\n",
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
        fmt::format("        m{0}[:] = where((f{0} >= 0.0) & (f{0} < float({1})), 1.0, 0.0)\n", k,
                    from[dim].text);
  std::string place =
      inside ? "f" + id
             : fmt::format("minimum(maximum(f{}, 0.0), float({} - 1))", k, from[dim].text);
  if (outer) place = fmt::format("a{} * float({}) + {}", k, from[dim].text, place);
  if (wraps) place = fmt::format("({0}) * float({1}) + j{2} - t{2} * float({1})", place, inner, k);
  places_ += fmt::format("        k{}[:] = cast({}, i32)\n\x01{}\n", k, place, k);
  widths_.push_back(Product(to));
}

RowValue ReorderWriter::Spread(RowValue x, const RowDims& to) {
  if (x.number || Width(x.dims) == 1 || Same(x.dims, to)) return x;
  while (x.dims.size() < to.size()) x.dims.insert(x.dims.begin(), Extent{});
  for (size_t i = 0; i < to.size(); ++i) {
    if (x.dims[i].text == to[i].text) continue;
    if (x.dims[i].n != 1) throw Unplanned{"rows of different length"};
    x = Take(x, i, "0", 0, to[i], true);
  }
  return x;
}

// What lies beside the leading dimensions of an operand that spans the rows differs from row to
// row.
void ReorderWriter::AlignWithRows(std::vector<RowValue>& operands) {
  std::optional<size_t> row;
  for (const RowValue& v : operands)
    if (v.full) row = std::max(row.value_or(0), v.dims.size());
  for (RowValue& v : operands)
    while (row && !v.full && v.dims.size() > *row) {
      if (v.dims[0].n != 1) throw Unplanned{"rows that meet"};
      v.dims.erase(v.dims.begin());
    }
}

RowValue ReorderWriter::Element(const std::string& op, const GraphArgs& a) {
  std::vector<RowValue> operands;
  std::map<size_t, size_t> place;
  RowDims dims;
  bool full = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].IsTensor() && !a[i].IsNumber()) continue;
    if (a[i].number.IsConstant() && std::holds_alternative<std::string>(a[i].number.value))
      continue;
    place[i] = operands.size();
    operands.push_back(Operand(a[i]));
    full |= operands.back().full;
  }
  AlignWithRows(operands);
  for (const RowValue& v : operands) {
    if (v.dims.size() > dims.size())
      dims.insert(dims.begin(), v.dims.size() - dims.size(), Extent{});
    for (size_t d = 0; d < v.dims.size(); ++d)
      if (Extent& to = dims[dims.size() - 1 - d]; to.n == 1) to = v.dims[v.dims.size() - 1 - d];
  }
  for (RowValue& v : operands) v = Spread(v, dims);
  auto text = ElementText(op, a, [&](size_t i) { return operands.at(place.at(i)).text; });
  if (!text) throw Unplanned{"the operation " + op};
  return Line(*text, full, dims);
}

RowValue ReorderWriter::One(const std::string& op, const GraphArgs& a, const Shape& shape) {
  static const std::set<std::string> kSame = {"clone", "contiguous", "double", "float",
                                              "to",    "type_as",    "detach"};
  static const std::set<std::string> kShaped = {"reshape", "view", "unsqueeze", "squeeze",
                                                "flatten"};
  if (kSame.count(op)) return Value(a[0].tensor);
  if (kShaped.count(op)) return Reshaped(Value(a[0].tensor), shape);
  if (op == "zeros_like" || op == "zeros") return {"0.0", false, true, {}};
  if (op == "flip") {
    RowValue x = Operand(a[0]);
    for (size_t d : InRow(a[1], x)) {
      if (d + 1 != x.dims.size()) throw Unplanned{"rows in another order"};  // NestReader::Flipped
      x = Take(x, d, x.dims[d].text + " - 1", -1, x.dims[d], true);
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

std::string ReorderWriter::Program() {
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
      "@kernel\ndef kernel0({}rows, {}per_core, tile):\n{}    first = core() * per_core\n    last "
      "= min(first + "
      "per_core, rows)\n",
      args, names, buffers);
  if (!resident.empty()) body += "    with copyin:\n" + resident;
  if (!places_.empty()) body += "    with compute:\n" + places_;
  body += "    for i, n in tiles(first, last, tile):\n        with copyin:\n" + loads +
          "        with compute:\n" + before + compute + "        with copyout:\n" + stores;
  std::string host =
      Parameters(task_) + fmt::format("    require(len({}.shape) == {})\n", like_, base_.size());
  for (const auto& [name, text] : host_) host += fmt::format("    {} = {}\n", name, text);
  host += fmt::format("    rows = {}.numel // ({})\n", like_, Product(row_)) + made;
  host += "    per_core = ceil_div(rows, best_cores())\n    tile = fit(per_core)\n";
  return body + "\n\n" + host +
         fmt::format("    kernel0[ceil_div(rows, per_core)]({}rows, {}per_core, tile)\n", passed,
                     kernel_args);
}

namespace {
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
        if (w.Bytes(k.ub_bytes) > RoomForRows(target))
          throw Unplanned{"rows that do not fit in UB"};
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
      } catch (const Unplanned& u) {
        why = u.why;
      } catch (const std::exception& e) {
        why = std::string("an operation with unusual operands: ") + e.what();
      }
    }
  }
  return NoRule(why);
}

}  // namespace akgen::craft
