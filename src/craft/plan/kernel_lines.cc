// A placed graph to lines of a kernel.
#include "craft/plan/kernel_lines.h"

#include <algorithm>
#include <optional>

#include "craft/plan/element.h"

namespace akgen::craft {
namespace {
using record::GraphNumber;

// The parameter that a value is, or is a tensor of.
std::string ListOf(const std::string& id) { return id.substr(0, id.find('.')); }

std::string JoinOf(const std::string& op) {
  return op == "sum" || op == "mean" ? "sum" : op == "min" || op == "amin" ? "min" : "max";
}

class LineReader {
 public:
  LineReader(const PlanTask& t, const PlanCase& c, const Layout& l) : k_{t, c, l} {}

  KernelLines Run(bool guarded);

 private:
  bool IsBool(const std::string& id) const;
  const PlanParam* Param(const std::string& id) const;

  std::string Answered(const GraphNumber& q);
  // A number of the graph as text: constants, attributes, elements of inputs, extents.
  std::string Number(const GraphNumber& n);
  std::string Extent(const GraphNumber& n);

  std::string Operand(const record::GraphArg& a);
  std::string Tensor(const std::string& id);
  void Set(const Step& s, std::string text);

  void One(const Step& s);
  void LayerNorm(const Step& s);
  std::string RowReduction(const std::string& op, const std::string& value);
  // One element of each row.
  void Choose(const Step& s);
  void Reduce(const Step& s);

  bool DependsOnLate(const std::string& id) const;
  void Outputs();

  KernelLines k_;
  std::map<std::string, std::string> text_;
  std::set<std::string> late_;
};

KernelLines LineReader::Run(bool guarded) {
  for (const PlanParam& p : k_.task.params)
    if (!p.is_attr && p.is_list) k_.list = p.id;
  for (const GraphNumber& q : k_.given.graph.asked)
    if (guarded) k_.guard += (k_.guard.empty() ? "" : " and ") + Answered(q);
  for (const Step& s : k_.layout.steps) One(s);
  Outputs();
  if (!k_.list.empty() && !k_.loads.count(k_.list)) k_.list = "y0";
  return std::move(k_);
}

// That the question is answered as in this case.
std::string LineReader::Answered(const GraphNumber& q) {
  static const std::map<std::string, std::pair<const char*, const char*>> kSigns = {
      {"eq", {"==", "!="}}, {"ne", {"!=", "=="}}, {"lt", {"<", ">="}},
      {"le", {"<=", ">"}},  {"gt", {">", "<="}},  {"ge", {">=", "<"}}};
  auto sign = kSigns.find(q.name);
  if (q.from == GraphNumber::From::kOperation && sign != kSigns.end() && q.args.size() == 2 &&
      q.HasBool())
    return fmt::format("{} {} {}", Number(q.args[0]),
                       q.Real() != 0 ? sign->second.first : sign->second.second, Number(q.args[1]));
  const std::string want = !q.HasBool()    ? "== " + base::Dump(record::ToJson(q.value))
                           : q.Real() != 0 ? "!= 0"
                                           : "== 0";
  return fmt::format("{} {}", Number(q), want);
}

bool LineReader::IsBool(const std::string& id) const {
  for (const Step& s : k_.layout.steps)
    if (s.id == id) return s.is_bool;
  return false;
}

const PlanParam* LineReader::Param(const std::string& id) const {
  for (const PlanParam& p : k_.task.params)
    if (p.id == id) return &p;
  return nullptr;
}

std::string LineReader::Number(const GraphNumber& n) {
  using From = GraphNumber::From;
  if (n.IsConstant()) return ConstantOf(n);
  if (n.from == From::kAttribute) {
    k_.attrs.insert(n.name);
    return n.name;
  }
  if (n.from == From::kTurn && !k_.list.empty()) return "t";
  const bool operation = n.from == From::kOperation;
  if (n.from == From::kTurn || (operation && n.name == "__derive_index")) return ConstantOf(n);
  if (auto host = HostNumber(n); host && operation) {
    for (const auto& [name, text] : k_.host)
      if (text == *host) return name;
    std::string name = fmt::format("h{}", k_.host.size());
    k_.host[name] = *host;
    return name;
  }
  if (n.from == From::kElement) {
    k_.items.insert(ListOf(n.name));
    std::string index = n.args.empty() ? "0" : Number(n.args[0]);
    if (index != "0") k_.by_turn.insert(ListOf(n.name));
    return fmt::format("item({}[{}])", ListOf(n.name), index);
  }
  if (operation && (n.name == "size" || n.name == "numel")) return Extent(n);
  if (!operation) throw Unplanned{"a number of an unknown kind"};
  std::vector<std::string> a;
  for (const GraphNumber& x : n.args) a.push_back(Number(x));
  if (n.name == "Int" && a.size() == 1 && n.args[0].from == From::kElement)
    if (const PlanParam* p = Param(ListOf(n.args[0].name));
        p && std::ranges::any_of(p->dtypes, base::IsFloating))
      return fmt::format("int({})", a[0]);
  return NumberText(n.name, a);
}

std::string LineReader::Extent(const GraphNumber& n) {
  int64_t v = n.Int();
  if (!k_.layout.flat && v == k_.layout.cols) return "cols";
  if (!k_.layout.flat && v == k_.layout.rows) return "rows";
  if (v == k_.layout.cols * k_.layout.rows) return k_.layout.flat ? "total" : "(rows * cols)";
  throw Unplanned{"an extent that is neither rows nor columns"};
}

std::string LineReader::Operand(const record::GraphArg& a) {
  if (a.IsNone()) throw Unplanned{"an operand that is left out"};
  if (a.IsNumber()) return Number(a.number);
  if (!a.IsTensor()) throw Unplanned{"a list as an operand"};
  return Tensor(a.tensor);
}

std::string LineReader::Tensor(const std::string& id) {
  if (auto it = text_.find(id); it != text_.end()) return it->second;
  const PlanParam* p = Param(ListOf(id));
  if (!p) throw Unplanned{"a constant tensor"};
  if (k_.layout.span.at(id) == Span::kOne && !p->is_list) {
    k_.items.insert(p->id);
    return fmt::format("item({}[0])", p->id);
  }
  k_.loads.insert(p->id);
  k_.span_of[p->id] = k_.layout.span.at(id);
  return p->id + "_ub";
}

void LineReader::Set(const Step& s, std::string text) {
  std::string name = fmt::format("v{}", text_.size());
  k_.lines.push_back({name, std::move(text)});
  text_[s.id] = name;
}

void LineReader::One(const Step& s) {
  static const std::set<std::string> kMoves = {
      "clone",     "contiguous", "double",  "to",     "type_as",   "reshape", "view",
      "unsqueeze", "squeeze",    "flatten", "expand", "expand_as", "detach"};
  if (kMoves.count(s.op)) {
    const std::string& from = s.args[0].tensor;
    Span a = k_.layout.span.at(from), b = s.span;
    if (a != b && !(a == Span::kOne))
      throw Unplanned{"a " + s.op + " that changes the place of values"};
    std::string same = Tensor(from);
    if (IsBool(from) && !s.is_bool && (s.op == "double" || s.op == "to" || s.op == "type_as"))
      return Set(s, fmt::format("where({}, 1.0, 0.0)", same));
    text_[s.id] = same;
    return;
  }
  if (k_.task.folds && (s.op == "zeros" || s.op == "ones")) {
    text_[s.id] = fmt::format("full(1, 1, {})", s.op == "zeros" ? "0.0" : "1.0");
    return;
  }
  if (s.op == "select") {
    const PlanParam* p = Param(ListOf(s.args[0].tensor));
    if (!p || !s.args[1].Is(0)) throw Unplanned{"a part of a tensor"};
    k_.items.insert(p->id);
    std::string index = Number(s.args[2].number);
    if (index != "0") k_.by_turn.insert(p->id);
    text_[s.id] = fmt::format("item({}[{}])", p->id, index);
    return;
  }
  if (s.op == "zeros_like" || s.op == "ones_like") {
    text_[s.id] = s.op == "zeros_like" ? "0.0" : "1.0";
    return;
  }
  if (s.op == "softmax") {
    std::string x = Operand(s.args[0]), i = fmt::format("{}", text_.size());
    std::string most = RowReduction("max", x);
    k_.lines.push_back({"e" + i, fmt::format("exp({} - {})", x, most)});
    return Set(s, fmt::format("e{} / {}", i, RowReduction("sum", "e" + i)));
  }
  if (s.op == "layer_norm") return LayerNorm(s);
  bool most =
      (s.op == "any" || s.op == "max" || s.op == "amax" || s.op == "min" || s.op == "amin") &&
      k_.task.folds;
  if (s.op == "sum" || s.op == "mean" || s.op == "amax" || s.op == "amin" || most) return Reduce(s);
  if (s.op == "gather") return Choose(s);
  auto text = ElementText(s.op, s.args, [&](size_t i) { return Operand(s.args[i]); });
  if (!text) throw WithoutRule(s.op);
  // f32 does not hold whether a large number is odd.
  if (const std::string by = s.op == "pow" ? Operand(s.args[1]) : "";
      s.is_whole && by.starts_with("item("))
    text = fmt::format("where({0} == -1, 1 - 2 * ({1} % 2), {2})", Operand(s.args[0]), by, *text);
  Set(s, *text);
}

void LineReader::LayerNorm(const Step& s) {
  std::string x = Operand(s.args[0]), i = fmt::format("{}", text_.size());
  const std::string sum = RowReduction("sum", x);
  k_.lines.push_back({"d" + i, fmt::format("{} - {} / float(cols)", x, sum)});
  const std::string squares = RowReduction("sum", fmt::format("d{0} * d{0}", i));
  k_.lines.push_back(
      {"q" + i, fmt::format("{} / float(cols) + {}", squares, Number(s.args[4].number))});
  std::string t = fmt::format("d{} / sqrt(q{})", i, i);
  if (!s.args[2].IsNone()) t += " * " + Operand(s.args[2]);
  if (!s.args[3].IsNone()) t += " + " + Operand(s.args[3]);
  Set(s, t);
}

std::string LineReader::RowReduction(const std::string& op, const std::string& value) {
  std::string name = fmt::format("r{}", k_.reductions++);
  k_.lines.push_back({name, fmt::format("row_{}({})", op, value)});
  return name;
}

void LineReader::Choose(const Step& s) {
  const std::string &from = s.args[0].tensor, &index = s.args[2].tensor;
  bool last = k_.layout.trailing == 1 &&
              s.args[1].Is(static_cast<double>(k_.layout.shape.at(from).size()) - 1);
  if (!last || k_.layout.span.at(from) != Span::kFull || k_.layout.span.at(index) != Span::kColumn)
    throw Unplanned{"elements chosen along another dimension"};
  Set(s, RowReduction("sum", fmt::format("where(iota(0, cols) == cast({}, i32), {}, 0.0)",
                                         Tensor(index), Tensor(from))));
}

void LineReader::Reduce(const Step& s) {
  const std::string& from = s.args[0].tensor;
  Span a = k_.layout.span.at(from), b = s.span;
  std::string x = Operand(s.args[0]);
  if (a == b && !k_.task.folds) {
    text_[s.id] = x;
    return;
  }
  if (a == Span::kFull && b == Span::kColumn)
    return Set(s, RowReduction(JoinOf(s.op), x) + (s.op == "mean" ? " / float(cols)" : ""));
  bool column = a == Span::kColumn && b == Span::kOne;
  if (column || (a == Span::kFull && (b == Span::kRow || b == Span::kOne))) {
    // Over rows, or over everything: each core adds up its part, one core joins the parts.
    if (k_.layout.flat && b != Span::kOne)
      throw Unplanned{"a reduction of rows beside one of everything"};
    std::string acc = fmt::format("acc{}", k_.parts.size()), how = JoinOf(s.op);
    if (s.op == "any") x = fmt::format("where({}, 1.0, 0.0)", x);
    k_.lines.push_back(
        {acc + "[:]",
         Joined(how, acc, fmt::format("{}_{}({})", b == Span::kRow ? "col" : "all", how, x))});
    std::string count = b == Span::kRow || column ? "float(rows)"
                        : k_.layout.flat          ? "float(total)"
                                                  : "float(rows * cols)";
    k_.parts.push_back({s.id, b == Span::kRow ? "cols" : "1", how});
    text_[s.id] = s.op == "any"    ? fmt::format("(sum{} > 0.5)", k_.parts.size() - 1)
                  : s.op != "mean" ? fmt::format("sum{}", k_.parts.size() - 1)
                                   : fmt::format("sum{} / {}", k_.parts.size() - 1, count);
    late_.insert(s.id);
    return;
  }
  throw Unplanned{"a reduction of a part"};
}

bool LineReader::DependsOnLate(const std::string& id) const {
  if (late_.count(id)) return true;
  for (const Step& s : k_.layout.steps)
    if (s.id == id)
      for (const auto& a : s.args)
        if (a.IsTensor() && DependsOnLate(a.tensor)) return true;
  return false;
}

void LineReader::Outputs() {
  const std::vector<std::string>& outs = k_.given.graph.outputs;
  if (outs.size() != k_.task.outputs.size()) throw Unplanned{"the number of outputs"};
  for (size_t i = 0; i < outs.size(); ++i) {
    const std::string& id = outs[i];
    KernelOutput o{i, k_.layout.span.count(id) ? k_.layout.span.at(id) : Span::kOne, "",
                   DependsOnLate(id)};
    o.text = Tensor(id);
    if (k_.task.folds && IsBool(id) && k_.task.outputs[i].dtypes[0] != base::Dtype::kBool)
      o.text = fmt::format("where({}, 1.0, 0.0)", o.text);
    bool real = base::IsFloating(k_.task.outputs[i].dtypes[0]);
    if (o.text == "0.0" && !real) o.text = "0";
    if (o.late && o.span == Span::kFull)
      throw Unplanned{"values that need a reduction over all cores first"};
    k_.outs.push_back(o);
  }
}

}  // namespace

KernelLines ReadLines(const PlanTask& task, const PlanCase& c, const Layout& layout, bool guarded) {
  return LineReader(task, c, layout).Run(guarded);
}

}  // namespace akgen::craft
