// A graph as values over axes.
#include "craft/plan/nest_reader.h"
#include "craft/plan/products.h"

#include <fmt/format.h>
#include <algorithm>

namespace akgen::craft {

NestGraph NestReader::Run() {
  for (const PlanParam& p : task_.params) {
    if (p.is_list) throw Unplanned{"a list of tensors"};
    auto it = case_.shapes.find(p.id);
    if (it == case_.shapes.end()) continue;
    g_.inputs[p.id] = Fresh(it->second);
    if (p.dtypes.at(case_.column) != base::Dtype::kComplex64) continue;
    pair_[p.id] = g_.axes.New(2);  // real and imaginary parts lie side by side
    g_.constants.insert(pair_[p.id]);
    g_.inputs[p.id].push_back({pair_[p.id]});
  }
  for (const GraphNode& n : case_.graph.nodes)
    if (n.ChangesOperand() && n.args.at(0).IsTensor()) changed_.insert(n.args[0].tensor);
  for (const GraphNode& n : case_.graph.nodes) {
    const size_t first = g_.nodes.size();
    One(n);
    Label(first, n.out);
  }
  for (const std::string& o : case_.graph.outputs) {
    NestValue v = Value(o);
    if (v.imaginary >= 0) v = Paired(v);
    g_.outputs.push_back(v);
    if (g_.outputs.back().node < 0 && g_.outputs.back().part_axis < 0)
      throw Unplanned{"a part of a computed value"};
  }
  if (g_.outputs.size() != task_.outputs.size()) throw Unplanned{"the number of outputs"};
  ShareEqualNodes();
  return std::move(g_);
}

// Values that are seen along other axes are computed again; where the axes became the same in the
// end, one of them is enough.
void NestReader::ShareEqualNodes() {
  auto runs = [&](const Dims& dims) {
    std::string out;
    for (const craft::Run& d : dims) out += ExtentMark(g_.axes.Resolve(d));
    return out;
  };
  std::map<std::string, int> first;
  std::vector<int> as(g_.nodes.size());
  for (size_t i = 0; i < g_.nodes.size(); ++i) {
    NestNode& n = g_.nodes[i];
    std::string key =
        fmt::format("{}|{}|{}|{}", static_cast<int>(n.kind), n.text, n.input, runs(n.dims));
    for (int& a : n.args) key += fmt::format(",{}", a = as[static_cast<size_t>(a)]);
    for (const auto& [axis, r] : n.roles)
      key += fmt::format("|{}:{}:{}:{}:{}:{}:{}:{}:{}", runs({{axis}}), r.fixed, r.index,
                         r.walk < 0 ? "" : runs({{r.walk}}), r.start, r.step,
                         r.tap < 0 ? "" : runs({{r.tap}}), r.tap_step, r.by + runs({r.places}));
    as[i] = first.emplace(key, static_cast<int>(i)).first->second;
  }
  auto shared = [&](int& n) {
    if (n >= 0) n = as[static_cast<size_t>(n)];
  };
  for (NestValue& o : g_.outputs) {
    shared(o.node);
    shared(o.imaginary);
    for (int& p : o.parts) shared(p);
  }
}

NestReader::Dims NestReader::Fresh(const std::vector<int64_t>& shape) {
  Dims d;
  for (int64_t e : shape) d.push_back(e == 1 ? craft::Run{} : craft::Run{g_.axes.New(e)});
  return d;
}

NestReader::Dims NestReader::Sized(const GraphArg& sizes, const std::vector<int64_t>& shape) {
  Dims d = Fresh(shape);
  for (size_t i = 0; i < d.size() && i < sizes.list.size(); ++i)
    if (sizes.list[i].IsNumber() && sizes.list[i].number.IsConstant())
      g_.constants.insert(d[i].begin(), d[i].end());
  return d;
}

craft::Run NestReader::Flat(const Dims& d) {
  craft::Run r;
  for (const auto& x : d) r.insert(r.end(), x.begin(), x.end());
  return r;
}

int NestReader::Add(NestNode n) {
  g_.nodes.push_back(std::move(n));
  return static_cast<int>(g_.nodes.size()) - 1;
}

void NestReader::Label(size_t first, const std::vector<record::GraphValue>& results) {
  std::string last;
  for (const auto& [id, shape, dtype] : results) {
    auto v = values_.find(id);
    if (id.empty() || id[0] != 'v') continue;
    last = id.substr(1);
    if (v != values_.end() && v->second.node >= static_cast<int>(first))
      g_.nodes[static_cast<size_t>(v->second.node)].label = last;
  }
  int steps = 0;
  for (size_t n = first; n < g_.nodes.size(); ++n) {
    NestNode& node = g_.nodes[n];
    if (!node.label.empty() || node.kind == NestNode::kScalar) continue;
    int& times = node.kind == NestNode::kLeaf ? seen_[node.input] : steps;
    node.label = (node.kind == NestNode::kLeaf ? "_" + node.input : last) +
                 (node.kind == NestNode::kLeaf && times == 0 ? "" : Letters(times));
    ++times;
  }
}

std::string NestReader::Number(const GraphNumber& n) {
  using From = GraphNumber::From;
  switch (n.from) {
    case From::kConstant:
    case From::kTurn: return ConstantOf(n);
    case From::kAttribute: {
      std::string name = "s" + n.name.substr(1);
      g_.numbers[name] = n.name;
      return name;
    }
    case From::kElement:
      g_.items.insert(n.name);
      return fmt::format("item({}[{}])", n.name, n.args.empty() ? "0" : Number(n.args[0]));
    case From::kOperation: break;
    default: throw Unplanned{"a number of an unknown kind"};
  }
  if (auto host = HostNumber(n)) {
    for (const auto& [name, text] : g_.numbers)
      if (text == *host) return name;
    std::string name = fmt::format("h{}", g_.numbers.size());
    g_.numbers[name] = *host;
    return name;
  }
  const std::string& op = n.name;
  if (op == "numel") return ExtentMark(Flat(Value(n.args.at(0).name).dims));
  if (op == "size") {
    Dims d = Value(n.args.at(0).name).dims;
    int64_t i = n.args.at(1).Int();
    return ExtentMark(d[i < 0 ? i + d.size() : i]);
  }
  if (op == "__derive_index" || op == "dim" || op == "len") return ConstantOf(n);
  std::vector<std::string> a;
  for (const GraphNumber& x : n.args) a.push_back(Number(x));
  return NumberText(op, a);
}

size_t NestReader::Dim(const GraphArg& a, size_t rank) {
  int64_t d = a.number.Int();
  return static_cast<size_t>(d < 0 ? d + static_cast<int64_t>(rank) : d);
}

NestValue NestReader::Value(const std::string& id) {
  if (auto it = values_.find(id); it != values_.end()) return it->second;
  auto in = g_.inputs.find(id);
  if (in == g_.inputs.end()) throw Unplanned{"a constant tensor"};
  NestNode n;
  n.kind = NestNode::kLeaf;
  n.input = id;
  n.dims = in->second;
  NestValue v{-1, in->second, {}, -1};
  if (auto pair = pair_.find(id); pair != pair_.end()) {
    v.dims.pop_back();
    n.dims = v.dims;
    n.roles[pair->second].fixed = true;
    n.roles[pair->second].index = "1";
    v.imaginary = Add(n);
    n.roles[pair->second].index = "0";
  }
  v.node = Add(n);
  return values_[id] = v;
}

NestValue NestReader::Operand(const GraphArg& a) {
  if (a.IsNone()) throw Unplanned{"an operand that is left out"};
  if (a.IsTensor()) {
    NestValue v = Value(a.tensor);
    if (v.node < 0 && v.part_axis < 0) throw Unplanned{"a part of a computed value"};
    if (v.imaginary >= 0) throw Unplanned{"this operation on complex numbers", Obstacle::kOperands};
    return v;
  }
  if (!a.IsNumber()) throw Unplanned{"a list as an operand"};
  NestNode n;
  n.kind = NestNode::kScalar;
  n.text = Number(a.number);
  return {Add(n), {}, {}, -1};
}

NestValue NestReader::Reduce(const std::string& what, const NestValue& x, std::vector<size_t> dims,
                             bool keep) {
  if (x.part_axis >= 0) return ReducedParts(what, x, dims, keep);
  NestNode n;
  n.kind = NestNode::kReduce;
  n.text = what;
  n.args = {x.node};
  if (dims.empty())
    for (size_t i = 0; i < x.dims.size(); ++i) dims.push_back(i);
  Dims kept;
  craft::Run gone;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    bool out = std::find(dims.begin(), dims.end(), i) != dims.end();
    if (!out || keep) kept.push_back(out ? craft::Run{} : x.dims[i]);
    if (out) gone.insert(gone.end(), x.dims[i].begin(), x.dims[i].end());
  }
  n.dims = kept;
  reduced_ = ExtentMark(gone);
  return {Add(n), kept, {}, -1};
}

void NestReader::One(const GraphNode& n) {
  if (n.op == "chunk") {
    NestValue x = Operand(n.args.at(0));
    auto parts = Chunk(x, Dim(n.args.at(2), x.dims.size()), n.out.size());
    for (size_t i = 0; i < parts.size(); ++i) values_[n.out[i].id] = parts[i];
    return;
  }
  if (n.op == "topk") return Topmost(n);
  if (n.out.size() != 1) throw WithSeveralResults(n.op);
  if (n.ChangesOperand()) return Change(n, n.op.substr(0, n.op.size() - 1), n.id());
  values_[n.id()] = Result(n, n.out[0].shape);
}

// One after the other: the extreme of those that are not taken yet, and the first place where it
// is. NaN is the largest: of the smallest its places come behind all others, kBehind further on.
void NestReader::Topmost(const GraphNode& n) {
  constexpr int64_t kLimit = 8;
  constexpr const char* kBehind = "8388608.0";
  NestValue x = Operand(n.args.at(0));
  const size_t dim = n.args.size() > 2 ? Dim(n.args[2], x.dims.size()) : x.dims.size() - 1;
  const int64_t count = n.args.at(1).number.Int();
  if (!n.args[1].number.IsConstant() || count < 1 || count > kLimit)
    throw Unplanned{
        fmt::format("operation topk of other than 1 to {} elements, a number that is fixed",
                    kLimit),
        Obstacle::kOperation, "topk"};
  const bool largest = n.args.size() < 4 || n.args[3].number.Real() != 0;
  const NestValue at = Index(x.dims, dim);
  std::vector<NestValue> values, places, seen{x, at};
  std::string free;
  auto all_of = [&](const std::string& condition) {
    return free.empty() ? condition : free + " & " + condition;
  };
  for (int64_t k = 0; k < count; ++k) {
    const std::string open = largest ? free : all_of("(@0@ == @0@)");
    const NestValue left =
        open.empty()
            ? x
            : Element(fmt::format("where({}, @0@, {})", open, largest ? "(-inf)" : "inf"), seen);
    NestValue most = Reduce(largest ? "max" : "min", left, {dim}, true);
    std::vector<NestValue> all = seen;
    all.push_back(most);
    const std::string hit = fmt::format("(@0@ == @{}@)", all.size() - 1), lost = "(@0@ != @0@)";
    NestValue place =
        Reduce("min",
               Element(largest ? fmt::format("where({}, @1@, inf)",
                                             all_of(fmt::format("({} | {})", hit, lost)))
                               : fmt::format("where({}, @1@, where({}, @1@ + {}, inf))",
                                             all_of(hit), all_of(lost), kBehind),
                       all),
               {dim}, true);
    if (!largest) {
      most = Element(fmt::format("where(@1@ < {}, @0@, @0@ - @0@)", kBehind), {most, place});
      place = Element(fmt::format("where(@0@ < {0}, @0@, @0@ - {0})", kBehind), {place});
    }
    values.push_back(most), places.push_back(place), seen.push_back(place);
    free += fmt::format("{}(@1@ != @{}@)", free.empty() ? "" : " & ", seen.size() - 1);
  }
  values_[n.out[0].id] = Join(values, dim);
  values_[n.out.at(1).id] = Join(places, dim);
}

NestValue NestReader::Plainly(const std::string& op, const GraphArgs& a) {
  std::vector<NestValue> operands;
  std::map<size_t, size_t> place;
  auto text = ElementText(op, a, [&](size_t i) {
    if (!place.count(i)) {
      place[i] = operands.size();
      operands.push_back(Operand(a[i]));
    }
    return fmt::format("@{}@", place[i]);
  });
  if (!text) throw WithoutRule(op);
  return Element(*text, operands);
}

NestValue NestReader::Paired(const NestValue& v) {
  NestValue out{-1, v.dims, {v.node, v.imaginary}, g_.axes.New(2)};
  out.pair = true;
  g_.constants.insert(out.part_axis);
  out.dims.push_back({out.part_axis});
  return out;
}

std::optional<NestValue> NestReader::Complex(const GraphNode& n,
                                             const std::vector<int64_t>& shape) {
  const std::string& op = n.op;
  const GraphArgs& a = n.args;
  std::vector<NestValue> x;
  bool any = op == "complex";
  for (const GraphArg& t : a) {
    x.push_back(t.IsTensor() ? Value(t.tensor) : NestValue{});
    any |= x.back().imaginary >= 0;
  }
  if (!any) return std::nullopt;
  auto both = [&](NestValue re, const NestValue& im) {
    for (size_t i = 0; i < re.dims.size(); ++i) g_.axes.Unify(re.dims[i], im.dims[i]);
    re.imaginary = im.node;
    return re;
  };
  if (op == "complex") return both(x[0], x[1]);
  if (op == "real") return Real(x[0]);
  if (op == "imag") return Imaginary(x[0]);
  if (op == "abs") return Element("sqrt(@0@ * @0@ + @1@ * @1@)", {Real(x[0]), Imaginary(x[0])});
  if ((op == "mul" || op == "div") && x[0].imaginary >= 0 && x[1].imaginary < 0) {
    NestValue by = a[1].IsTensor() ? x[1] : Operand(a[1]);
    std::string text = op == "mul" ? "@0@ * @1@" : "@0@ / @1@";
    return both(Element(text, {Real(x[0]), by}), Element(text, {Imaginary(x[0]), by}));
  }
  if (op == "mul" && x[0].imaginary < 0 && a[0].IsTensor())
    return both(Element("@0@ * @1@", {x[0], Real(x[1])}),
                Element("@0@ * @1@", {x[0], Imaginary(x[1])}));
  if ((op == "add" || op == "sub") && a.size() == 3 && a[2].Is(1) && x[0].imaginary >= 0 &&
      x[1].imaginary >= 0) {
    std::string text = op == "add" ? "@0@ + @1@" : "@0@ - @1@";
    return both(Element(text, {Real(x[0]), Real(x[1])}),
                Element(text, {Imaginary(x[0]), Imaginary(x[1])}));
  }
  if (op == "neg") return both(Element("-@0@", {Real(x[0])}), Element("-@0@", {Imaginary(x[0])}));
  if (op == "conj") return both(Real(x[0]), Element("-@0@", {Imaginary(x[0])}));
  if (op == "mul" && x[0].imaginary >= 0 && x[1].imaginary >= 0) {
    NestValue p = Real(x[0]), q = Imaginary(x[0]), r = Real(x[1]), s = Imaginary(x[1]);
    return both(Element("@0@ * @1@ - @2@ * @3@", {p, r, q, s}),
                Element("@0@ * @3@ + @2@ * @1@", {p, r, q, s}));
  }
  if (op == "slice" || op == "narrow")
    return both(Slice(n, Real(x[0]), shape), Slice(n, Imaginary(x[0]), shape));
  return std::nullopt;
}

NestValue NestReader::Result(const GraphNode& n, const std::vector<int64_t>& shape) {
  const std::string& op = n.op;
  const GraphArgs& a = n.args;
  static const std::set<std::string> kSame = {"clone", "contiguous", "double", "float", "long",
                                              "to",    "type_as",    "detach", "alias"};
  static const std::set<std::string> kShaped = {"reshape", "view", "unsqueeze", "squeeze",
                                                "flatten"};
  if (kSame.count(op)) return Value(a[0].tensor);
  if (kShaped.count(op)) return Reshaped(Value(a[0].tensor), shape);
  if (op == "split_at") return SplitAt(a, shape);
  if (op == "unsplit") return Value(a[0].tensor);
  if (auto c = Complex(n, shape)) return *c;
  if (op == "unflatten")
    return Unflattened(Value(a[0].tensor), Dim(a[1], Value(a[0].tensor).dims.size()), a[2].Ints(),
                       shape);
  if (op == "expand" || op == "expand_as") return Spread(Operand(a[0]), shape);
  if (op == "t" || op == "transpose") {
    NestValue x = Operand(a[0]);
    if (x.dims.size() < 2) return x;
    size_t i = op == "t" ? 0 : Dim(a[1], x.dims.size()),
           j = op == "t" ? 1 : Dim(a[2], x.dims.size());
    std::swap(x.dims[i], x.dims[j]);
    return x;
  }
  if (op == "slice" || op == "narrow") return Slice(n, Operand(a[0]), shape);
  if (op == "flip") return Flipped(n, Operand(a[0]));
  if (IsWindowed(op)) return Windows(n, Operand(a[0]));
  if (op == "constant_pad_nd") return Widened(n, Operand(a[0]));
  if (op == "index_select") return Picked(Operand(a[0]), a);
  if (op == "select") return Select(Operand(a[0]), a);
  if (op == "cat") {
    std::vector<NestValue> parts;
    for (const GraphArg& p : a[0].list) parts.push_back(Operand(p));
    return Joined(n, parts, Dim(a[1], shape.size()));
  }
  if (op == "zeros_like" || op == "ones_like" || op == "zeros" || op == "ones") {
    NestNode c;
    c.kind = NestNode::kScalar;
    c.text = op[0] == 'z' ? "0.0" : "1.0";
    return {Add(c), a[0].IsTensor() ? Value(a[0].tensor).dims : Sized(a[0], shape), {}, -1};
  }
  if (op == "tril" || op == "triu") {
    NestValue x = Operand(a[0]), row = Index(x.dims, x.dims.size() - 2),
              column = Index(x.dims, x.dims.size() - 1);
    return Element(fmt::format("where(@1@ {} @2@ + @3@, @0@, 0)", op == "tril" ? "<=" : ">="),
                   {x, column, row, Operand(a[1])});
  }
  if (op == "eye") {
    Dims d = Fresh(shape);
    return Element("where(@0@ == @1@, 1, 0)", {Index(d, 1), Index(d, 0)}, shape);
  }
  if (op == "arange") {
    if (a.size() > 4 && !a[0].IsNone() && !a[0].Is(0) && a[1].IsNumber())
      throw Unplanned{"positions that do not begin at 0"};
    const Dims d = Fresh(shape);
    const GraphArg& count = a[a.size() > 4 && a[1].IsNumber() ? 1 : 0];
    if (count.IsNumber() && count.number.IsConstant())
      g_.constants.insert(d[0].begin(), d[0].end());
    return Index(d, 0);
  }
  if (op == "cross") return Cross(Operand(a[0]), Operand(a[1]), a[2]);
  if (op == "gather" || op == "scatter") return Chosen(op, a);
  if (auto r = Reduction(op, a)) return *r;
  if (op == "pow" && (n.out[0].dtype == "Long" || n.out[0].dtype == "Int")) {
    // f32 does not hold whether a large number is odd.
    const NestValue x = Operand(a[0]), by = Operand(a[1]);
    if (g_.axes.Resolve(Flat(by.dims)).empty())
      return Element("where(@0@ == -1, 1 - 2 * (@1@ % 2), @0@ ** @1@)", {x, by});
  }
  return Plainly(op, a);
}

NestValue NestReader::Joined(const GraphNode& n, const std::vector<NestValue>& parts, size_t dim) {
  std::string all;
  for (const NestValue& p : parts) {
    const auto one = HostExtent(p.dims[dim]);
    if (!one) all.clear();
    if (!one) break;
    all += (all.empty() ? "" : " + ") + *one;
  }
  NestValue out = Join(parts, dim);
  if (!out.starts.empty() && !all.empty()) g_.derived[out.part_axis] = {all, n.id(), dim};
  return out;
}

NestValue NestReader::Chosen(const std::string& op, const GraphArgs& a) {
  NestValue x = Operand(a[0]), index = Operand(a[2]);
  size_t dim = Dim(a[1], x.dims.size());
  if (x.dims.size() != index.dims.size()) throw Unplanned{"an index of another rank"};
  bool one = g_.axes.Resolve(index.dims[dim]).empty();
  NestValue at = Index(x.dims, dim);
  if (op == "scatter") {
    if (!one)
      throw Unplanned{"several elements of a row are replaced", Obstacle::kReplacedElements};
    return Element("where(@0@ == @1@, @2@, @3@)", {at, index, Operand(a[3]), x});
  }
  if (!one) {  // n chosen from m: n rows of m
    const auto place = static_cast<long>(dim);
    at.dims.insert(at.dims.begin() + place, craft::Run{});
    x.dims.insert(x.dims.begin() + place, craft::Run{});
    index.dims.insert(index.dims.begin() + place + 1, craft::Run{});
    return Reduce("sum", Element("where(@0@ == @1@, @2@, 0.0)", {at, index, x}), {dim + 1}, false);
  }
  return Reduce("sum", Element("where(@0@ == @1@, @2@, 0.0)", {at, index, x}), {dim}, true);
}

std::optional<NestValue> NestReader::Reduction(const std::string& op, const GraphArgs& a) {
  static const std::set<std::string> kOps = {
      "sum", "mean",   "amax",   "amin",    "max",       "min",        "any",
      "all", "argmax", "argmin", "softmax", "logsumexp", "layer_norm", "prod"};
  if (!kOps.count(op) || ((op == "max" || op == "min") && a.size() != 1)) return std::nullopt;
  NestValue x = Operand(a[0]);
  size_t rank = x.dims.size();
  std::vector<size_t> dims =
      a.size() > 1 && (a[1].IsNumber() || a[1].IsList()) && op != "layer_norm"
          ? DimsOf(a[1], rank)
          : std::vector<size_t>{};
  if (op == "sum" && a.size() == 2) dims.clear();  // sum(x, dtype)
  if ((op == "mean" || op == "prod") && a.size() == 2) dims.clear();
  bool keep = a.size() > 2 && a[2].IsNumber() && a[2].number.IsConstant() &&
              a[2].number.HasBool() && a[2].number.Real() != 0;
  if (op == "softmax") {
    NestValue e = Element("exp(@0@ - @1@)", {x, Reduce("max", x, dims, true)});
    return Element("@0@ / @1@", {e, Reduce("sum", e, dims, true)});
  }
  if (op == "logsumexp") {
    // Of an infinite one no difference is taken.
    auto most = [&](bool kept) {
      return Element("where(abs(@0@) == inf, 0.0, @0@)", {Reduce("max", x, dims, kept)});
    };
    NestValue s = Reduce("sum", Element("exp(@0@ - @1@)", {x, most(true)}), dims, keep);
    return Element("log(@0@) + @1@", {s, most(keep)});
  }
  if (op == "layer_norm") return LayerNorm(x, a);
  if (op == "argmax" || op == "argmin") {
    if (dims.empty() || rank == 1) return Reduce(op, x, {}, keep && rank == 1);
    // The first of the elements that are the extreme, or NaN.
    NestValue most = Reduce(op.substr(3), x, dims, true), at = Index(x.dims, dims[0]);
    return Reduce("min", Element("where((@0@ == @1@) | (@0@ != @0@), @2@, inf)", {x, most, at}),
                  dims, keep);
  }
  if (op == "any" || op == "all") {
    const NestValue one = Element("where(@0@, 1.0, 0.0)", {x});
    return Element("@0@ > 0.5", {Reduce(op == "any" ? "max" : "min", one, dims, keep)});
  }
  std::string what = op == "amax" || op == "max"   ? "max"
                     : op == "amin" || op == "min" ? "min"
                     : op == "prod"                ? "prod"
                                                   : "sum";
  NestValue r = Reduce(what, x, dims, keep);
  return op == "mean" ? Element(fmt::format("@0@ / float({})", reduced_), {r}) : r;
}

NestValue NestReader::LayerNorm(const NestValue& x, const GraphArgs& a) {
  std::vector<size_t> dims;
  for (size_t i = 0; i < a[1].list.size(); ++i) dims.push_back(x.dims.size() - 1 - i);
  NestValue sum = Reduce("sum", x, dims, true);
  NestValue d = Element(fmt::format("@0@ - @1@ / float({})", reduced_), {x, sum});
  NestValue v = Reduce("sum", Element("@0@ * @0@", {d}), dims, true);
  NestValue y =
      Element(fmt::format("@0@ / sqrt(@1@ / float({}) + @2@)", reduced_), {d, v, Operand(a[4])});
  if (!a[2].IsNone()) y = Element("@0@ * @1@", {y, Operand(a[2])});
  if (!a[3].IsNone()) y = Element("@0@ + @1@", {y, Operand(a[3])});
  return y;
}

NestGraph ReadNest(const PlanTask& task, const PlanCase& c) { return NestReader(task, c).Run(); }

}  // namespace akgen::craft
