// A placed graph to the text of one kernel.
#include "base/text.h"
#include "craft/plan/kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace akgen::craft {

KernelText KernelWriter::Run() {
  for (const PlanParam& p : task_.params)
    if (!p.is_attr && p.is_list) list_ = p.id;
  for (const GraphNumber& q : case_.graph.asked)
    if (guarded_) guard_ += (guard_.empty() ? "" : " and ") + Answered(q);
  for (const Step& s : l_.steps) One(s);
  Outputs();
  return Assemble();
}

// That the question is answered as in this case.
std::string KernelWriter::Answered(const GraphNumber& q) {
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

bool KernelWriter::IsBool(const std::string& id) const {
  for (const Step& s : l_.steps)
    if (s.id == id) return s.is_bool;
  return false;
}

const PlanParam* KernelWriter::Param(const std::string& id) const {
  for (const PlanParam& p : task_.params)
    if (p.id == id) return &p;
  return nullptr;
}

std::string KernelWriter::Number(const GraphNumber& n) {
  using From = GraphNumber::From;
  if (n.IsConstant()) return ConstantOf(n);
  if (n.from == From::kAttribute) {
    attrs_.insert(n.name);
    return n.name;
  }
  if (n.from == From::kTurn && !list_.empty()) return "t";
  const bool operation = n.from == From::kOperation;
  if (n.from == From::kTurn || (operation && n.name == "__derive_index")) return ConstantOf(n);
  if (auto host = HostNumber(n); host && operation) {
    for (const auto& [name, text] : host_)
      if (text == *host) return name;
    std::string name = fmt::format("h{}", host_.size());
    host_[name] = *host;
    return name;
  }
  if (n.from == From::kElement) {
    items_.insert(Base(n.name));
    std::string index = n.args.empty() ? "0" : Number(n.args[0]);
    if (index != "0") by_turn_.insert(Base(n.name));
    return fmt::format("item({}[{}])", Base(n.name), index);
  }
  if (operation && (n.name == "size" || n.name == "numel")) return Extent(n);
  if (!operation) throw Unplanned{"a number of an unknown kind"};
  std::vector<std::string> a;
  for (const GraphNumber& x : n.args) a.push_back(Number(x));
  if (n.name == "Int" && a.size() == 1 && n.args[0].from == From::kElement)
    if (const PlanParam* p = Param(Base(n.args[0].name));
        p && std::ranges::any_of(p->dtypes, base::IsFloating))
      return fmt::format("int({})", a[0]);
  return NumberText(n.name, a);
}

std::string KernelWriter::Extent(const GraphNumber& n) {
  int64_t v = n.Int();
  if (!l_.flat && v == l_.cols) return "cols";
  if (!l_.flat && v == l_.rows) return "rows";
  if (v == l_.cols * l_.rows) return l_.flat ? "total" : "(rows * cols)";
  throw Unplanned{"an extent that is neither rows nor columns"};
}

std::string KernelWriter::Operand(const record::GraphArg& a) {
  if (a.IsNone()) throw Unplanned{"an operand that is left out"};
  if (a.IsNumber()) return Number(a.number);
  if (!a.IsTensor()) throw Unplanned{"a list as an operand"};
  return Tensor(a.tensor);
}

std::string KernelWriter::Tensor(const std::string& id) {
  if (auto it = text_.find(id); it != text_.end()) return it->second;
  const PlanParam* p = Param(Base(id));
  if (!p) throw Unplanned{"a constant tensor"};
  if (l_.span.at(id) == Span::kOne && !p->is_list) {
    items_.insert(p->id);
    return fmt::format("item({}[0])", p->id);
  }
  loads_.insert(p->id);
  span_of_[p->id] = l_.span.at(id);
  return p->id + "_ub";
}

void KernelWriter::Set(const Step& s, std::string text) {
  std::string name = fmt::format("v{}", text_.size());
  lines_.push_back(fmt::format("{} = {}", name, text));
  text_[s.id] = name;
}

void KernelWriter::One(const Step& s) {
  static const std::set<std::string> kMoves = {
      "clone",     "contiguous", "double",  "to",     "type_as",   "reshape", "view",
      "unsqueeze", "squeeze",    "flatten", "expand", "expand_as", "detach"};
  if (kMoves.count(s.op)) {
    const std::string& from = s.args[0].tensor;
    Span a = l_.span.at(from), b = s.span;
    if (a != b && !(a == Span::kOne))
      throw Unplanned{"a " + s.op + " that changes the place of values"};
    std::string same = Tensor(from);
    if (IsBool(from) && !s.is_bool && (s.op == "double" || s.op == "to" || s.op == "type_as"))
      return Set(s, fmt::format("where({}, 1.0, 0.0)", same));
    text_[s.id] = same;
    return;
  }
  if (task_.folds && (s.op == "zeros" || s.op == "ones")) {
    text_[s.id] = fmt::format("full(1, 1, {})", s.op == "zeros" ? "0.0" : "1.0");
    return;
  }
  if (s.op == "select") {
    const PlanParam* p = Param(Base(s.args[0].tensor));
    if (!p || !s.args[1].Is(0)) throw Unplanned{"a part of a tensor"};
    items_.insert(p->id);
    std::string index = Number(s.args[2].number);
    if (index != "0") by_turn_.insert(p->id);
    text_[s.id] = fmt::format("item({}[{}])", p->id, index);
    return;
  }
  if (s.op == "zeros_like" || s.op == "ones_like") {
    text_[s.id] = s.op == "zeros_like" ? "0.0" : "1.0";
    return;
  }
  if (s.op == "softmax") {
    std::string x = Operand(s.args[0]), i = fmt::format("{}", text_.size());
    lines_.push_back(fmt::format("e{} = exp({} - {})", i, x, RowReduction("max", x)));
    return Set(s, fmt::format("e{} / {}", i, RowReduction("sum", "e" + i)));
  }
  if (s.op == "layer_norm") return LayerNorm(s);
  bool most =
      (s.op == "any" || s.op == "max" || s.op == "amax" || s.op == "min" || s.op == "amin") &&
      task_.folds;
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

void KernelWriter::LayerNorm(const Step& s) {
  std::string x = Operand(s.args[0]), i = fmt::format("{}", text_.size());
  lines_.push_back(fmt::format("d{} = {} - {} / float(cols)", i, x, RowReduction("sum", x)));
  lines_.push_back(fmt::format("q{} = {} / float(cols) + {}", i,
                               RowReduction("sum", fmt::format("d{0} * d{0}", i)),
                               Number(s.args[4].number)));
  std::string t = fmt::format("d{} / sqrt(q{})", i, i);
  if (!s.args[2].IsNone()) t += " * " + Operand(s.args[2]);
  if (!s.args[3].IsNone()) t += " + " + Operand(s.args[3]);
  Set(s, t);
}

std::string KernelWriter::RowReduction(const std::string& op, const std::string& value) {
  std::string name = fmt::format("r{}", reductions_++);
  lines_.push_back(fmt::format("{} = row_{}({})", name, op, value));
  return name;
}

void KernelWriter::Choose(const Step& s) {
  const std::string &from = s.args[0].tensor, &index = s.args[2].tensor;
  bool last = l_.trailing == 1 && s.args[1].Is(static_cast<double>(l_.shape.at(from).size()) - 1);
  if (!last || l_.span.at(from) != Span::kFull || l_.span.at(index) != Span::kColumn)
    throw Unplanned{"elements chosen along another dimension"};
  Set(s, RowReduction("sum", fmt::format("where(iota(0, cols) == cast({}, i32), {}, 0.0)",
                                         Tensor(index), Tensor(from))));
}

void KernelWriter::Reduce(const Step& s) {
  const std::string& from = s.args[0].tensor;
  Span a = l_.span.at(from), b = s.span;
  std::string x = Operand(s.args[0]);
  if (a == b && !task_.folds) {
    text_[s.id] = x;
    return;
  }
  if (a == Span::kFull && b == Span::kColumn)
    return Set(s, RowReduction(How(s.op), x) + (s.op == "mean" ? " / float(cols)" : ""));
  bool column = a == Span::kColumn && b == Span::kOne;
  if (column || (a == Span::kFull && (b == Span::kRow || b == Span::kOne))) {
    // Over rows, or over everything: each core adds up its part, one core joins the parts.
    if (l_.flat && b != Span::kOne) throw Unplanned{"a reduction of rows beside one of everything"};
    std::string acc = fmt::format("acc{}", parts_.size()), how = How(s.op);
    if (s.op == "any") x = fmt::format("where({}, 1.0, 0.0)", x);
    lines_.push_back(fmt::format(
        "{}[:] = {}", acc,
        Joined(how, acc, fmt::format("{}_{}({})", b == Span::kRow ? "col" : "all", how, x))));
    std::string count = b == Span::kRow || column ? "float(rows)"
                        : l_.flat                 ? "float(total)"
                                                  : "float(rows * cols)";
    parts_.push_back({s.id, b == Span::kRow ? "cols" : "1", how});
    text_[s.id] = s.op == "any"    ? fmt::format("(sum{} > 0.5)", parts_.size() - 1)
                  : s.op != "mean" ? fmt::format("sum{}", parts_.size() - 1)
                                   : fmt::format("sum{} / {}", parts_.size() - 1, count);
    late_.insert(s.id);
    return;
  }
  throw Unplanned{"a reduction of a part"};
}

bool KernelWriter::DependsOnLate(const std::string& id) const {
  if (late_.count(id)) return true;
  for (const Step& s : l_.steps)
    if (s.id == id)
      for (const auto& a : s.args)
        if (a.IsTensor() && DependsOnLate(a.tensor)) return true;
  return false;
}

void KernelWriter::Outputs() {
  const std::vector<std::string>& outs = case_.graph.outputs;
  if (outs.size() != task_.outputs.size()) throw Unplanned{"the number of outputs"};
  for (size_t i = 0; i < outs.size(); ++i) {
    const std::string& id = outs[i];
    Out o{i, l_.span.count(id) ? l_.span.at(id) : Span::kOne, "", DependsOnLate(id)};
    o.text = Tensor(id);
    if (task_.folds && IsBool(id) && task_.outputs[i].dtypes[0] != base::Dtype::kBool)
      o.text = fmt::format("where({}, 1.0, 0.0)", o.text);
    bool real = base::IsFloating(task_.outputs[i].dtypes[0]);
    if (o.text == "0.0" && !real) o.text = "0";
    if (o.late && o.span == Span::kFull)
      throw Unplanned{"values that need a reduction over all cores first"};
    outs_.push_back(o);
  }
}

KernelText KernelWriter::Assemble() {
  KernelText k;
  std::vector<std::string> early, late;
  std::set<std::string> late_names;
  for (const std::string& line : lines_) {
    size_t eq = line.find(" = ");
    bool is_late = line.find("sum") != std::string::npos && MentionsSum(line.substr(eq + 3));
    for (const std::string& n : late_names)
      if (Mentions(line.substr(eq + 3), n)) is_late = true;
    if (is_late) late_names.insert(line.substr(0, eq));
    if (is_late && (line.starts_with("acc") || MentionsTile(line.substr(eq + 3))))
      throw Unplanned{"a reduction over all cores that another one waits for"};
    (is_late ? late : early).push_back(line);
  }
  k.flat = l_.flat;
  std::string args, bufs, resident, loads;
  auto dims = [&](Span s) -> std::string {
    if (OfEach() || (!list_.empty() && s == Span::kFull)) return "gms";
    if (s == Span::kOne) return "gm[1]";
    if (l_.flat) return "gm[total]";
    return s == Span::kFull ? "gm[rows, cols]" : s == Span::kRow ? "gm[cols]" : "gm[rows, 1]";
  };
  auto buffer = [&](Span s) -> std::string {
    if (l_.flat) return "ub(tile";
    return s == Span::kFull ? "ub(tile, cols" : s == Span::kRow ? "ub(cols" : "ub(tile, 1";
  };
  std::vector<PlanParam> ordered = task_.params;  // lists first: others say how long they are
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const PlanParam& p) { return p.is_list; });
  if (!list_.empty() && !loads_.count(list_)) list_ = "y0";
  for (const PlanParam& p : ordered) {
    if (p.is_attr || (!loads_.count(p.id) && !items_.count(p.id))) continue;
    k.tensors.push_back(p.id);
    if (!loads_.count(p.id)) {
      args += fmt::format("{}: gm[{}], ", p.id, ItemExtent(p.id));
      continue;
    }
    Span s = span_of_[p.id];
    args += fmt::format("{}: {}, ", p.id, dims(s));
    bufs += fmt::format("    {0}_ub = {1}, dtype={0}.dtype)\n", p.id, buffer(s));
    if (s == Span::kRow)
      resident += fmt::format("        load({0}_ub, {0}[:])\n", p.id);
    else
      loads += fmt::format("            load({0}_ub, {0}{1})\n", p.id, Window());
  }
  for (const Out& o : outs_) {
    std::string y = fmt::format("y{}", o.index);
    k.tensors.push_back(y);
    args += fmt::format("{}: {}, ", y, dims(o.span));
    std::string one = "ub(1";
    bool shared = o.late && o.span == Span::kRow && Shared(late);
    bufs += fmt::format("    {0}_ub = {1}, dtype={0}.dtype)\n", y,
                        o.span == Span::kOne ? one
                        : shared             ? fmt::format("ub({}", kShare)
                                             : buffer(o.span));
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    args += fmt::format("w{}: gm[{}, {}], ", i, OfEach() ? "slots" : "parts", parts_[i].cols);
    k.tensors.push_back(fmt::format("w{}", i));
    std::string joined = parts_[i].cols == "cols" && Shared(late) ? kShare : parts_[i].cols;
    bufs += fmt::format(
        "    acc{0} = ub({1}, dtype=f32)\n    part{0} = ub({1}, dtype=f32)\n    all{0} = ub(parts, "
        "{2}, dtype=f32)\n",
        i, parts_[i].cols, joined);
  }
  k.workspaces = static_cast<int>(parts_.size());
  return Finish(k, args, bufs, resident, loads, early, late);
}

bool KernelWriter::Mentions(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !base::IsWord(text[at - 1])) &&
        (at + name.size() == text.size() || !base::IsWord(text[at + name.size()])))
      return true;
  }
  return false;
}

bool KernelWriter::MentionsTile(const std::string& text) const {
  return std::any_of(span_of_.begin(), span_of_.end(), [&](const auto& s) {
    return (l_.flat || s.second != Span::kRow) && Mentions(text, s.first + "_ub");
  });
}

bool KernelWriter::MentionsSum(const std::string& text) const {
  for (size_t i = 0; i < parts_.size(); ++i)
    if (Mentions(text, fmt::format("sum{}", i))) return true;
  return false;
}

KernelText KernelWriter::Finish(KernelText k, const std::string& args, const std::string& bufs,
                                const std::string& resident, const std::string& loads,
                                const std::vector<std::string>& early,
                                const std::vector<std::string>& late) {
  std::string in = list_.empty() ? "    " : "        ";
  std::string body = "@kernel\ndef main_kernel(" + args;
  std::vector<std::string> scalars =
      l_.flat && !list_.empty() ? std::vector<std::string>{"tile"}
      : l_.flat                 ? std::vector<std::string>{"total", "per_core", "tile"}
                                : std::vector<std::string>{"rows", "cols", "per_core", "tile"};
  if (!parts_.empty()) scalars.push_back("parts");
  if (!parts_.empty() && OfEach()) scalars.push_back("slots");
  for (const std::string& a : attrs_) scalars.push_back(a);
  for (const auto& [name, text] : host_) scalars.push_back(name);
  k.host = host_;
  for (size_t i = 0; i < scalars.size(); ++i) body += (i ? ", " : "") + scalars[i];
  body += "):\n" + bufs;
  if (OfEach() && !parts_.empty()) {
    k.body = body + PartsOfEach(loads, early, late);
    k.each_body = body + OneOfEach(loads, early, late);
    k.scalars = scalars;
    return k;
  }
  const size_t head = body.size();
  std::string start = parts_.empty() ? "" : "    with compute:\n";
  if (!parts_.empty()) {
    for (size_t i = 0; i < parts_.size(); ++i)
      start += fmt::format("        acc{}[:] = {}\n", i, Neutral(parts_[i].how));
  }
  if (!list_.empty()) {
    body += start;
    start.clear();
    body += fmt::format(
        "    for t in range(len({0})):\n        per_core = align(ceil_div(numel({0}[t]), cores()), "
        "64)\n",
        list_);
    body += fmt::format(
        "        first = core() * per_core\n        last = min(first + per_core, numel({}[t]))\n",
        list_);
  } else {
    body += fmt::format("    first = core() * per_core\n    last = min(first + per_core, {})\n",
                        l_.flat ? "total" : "rows");
  }
  if (!resident.empty()) body += "    with copyin:\n" + resident;
  body += start;
  body += in + "for i, n in tiles(first, last, tile):\n";
  if (!loads.empty()) body += Indent("        with copyin:\n" + loads, in);
  std::string compute, stores;
  for (const std::string& line : early) compute += "            " + line + "\n";
  for (const Out& o : outs_) {
    if (o.late) continue;
    if (o.span != Span::kFull && o.span != Span::kColumn)
      throw Unplanned{"an output that no tile covers"};
    compute += fmt::format("            y{}_ub[:] = {}\n", o.index, Narrow(o, Shaped(o)));
    stores += fmt::format("            store(y{0}{1}, y{0}_ub)\n", o.index, Window(o));
  }
  body += Indent("        with compute:\n" + compute, in);
  if (!stores.empty()) body += Indent("        with copyout:\n" + stores, in);
  if (!parts_.empty()) body += Join(late);
  if (!guard_.empty())
    body = body.substr(0, head) + fmt::format("    if {}:\n", guard_) +
           Indent(body.substr(head), "        ");
  k.body = body;
  k.scalars = scalars;
  if (!l_.flat && parts_.empty()) k.long_body = LongRows(args, scalars);
  return k;
}

std::string KernelWriter::FinishEach(const std::vector<std::string>& late, const std::string& of,
                                     std::string& stores) const {
  std::string last;
  for (size_t i = 0; i < parts_.size(); ++i)
    last += fmt::format(
        "            sum{0} = {1}\n", i,
        fmt::format(fmt::runtime(of), fmt::arg("how", parts_[i].how), fmt::arg("i", i)));
  for (const auto& lines : {Constants(late), late})
    for (const std::string& line : lines) last += "            " + line + "\n";
  for (const Out& o : outs_) {
    if (!o.late) throw Unplanned{"a list beside numbers of its tensors"};
    last += fmt::format("            y{}_ub[:] = {}\n", o.index, Narrow(o, o.text));
    stores += fmt::format("            store(y{0}[t][0 : 1], y{0}_ub)\n", o.index);
  }
  return "        with compute:\n" + last + "        with copyout:\n" + stores;
}

// The accumulators of one tensor over its elements from `first` to `last`.
std::string KernelWriter::AccumulateEach(const std::string& first, const std::string& last,
                                         const std::string& loads,
                                         const std::vector<std::string>& early) const {
  std::string out = "        with compute:\n", compute;
  for (size_t i = 0; i < parts_.size(); ++i)
    out += fmt::format("            acc{}[:] = {}\n", i, Neutral(parts_[i].how));
  for (const std::string& line : early) compute += "                " + line + "\n";
  return out +
         fmt::format("        for i, n in tiles({}, {}, tile):\n            with copyin:\n", first,
                     last) +
         Indent(loads, "        ") + "            with compute:\n" + compute;
}

std::string KernelWriter::OneOfEach(const std::string& loads, const std::vector<std::string>& early,
                                    const std::vector<std::string>& late) const {
  std::string stores;
  return fmt::format("    for t in range(core(), len({}), cores()):\n", list_) +
         AccumulateEach("0", fmt::format("numel({}[t])", list_), loads, early) +
         FinishEach(late, "acc{i}", stores);
}

std::string KernelWriter::PartsOfEach(const std::string& loads,
                                      const std::vector<std::string>& early,
                                      const std::vector<std::string>& late) const {
  std::string kept, slots, joined, stores;
  for (size_t i = 0; i < parts_.size(); ++i) {
    kept += fmt::format("            part{0}[:] = acc{0}\n", i);
    slots += fmt::format("            store(w{0}[t * parts + core(), :], part{0})\n", i);
    joined += fmt::format("            load(all{0}, w{0}[t * parts : t * parts + parts, :])\n", i);
  }
  return fmt::format(
             "    for t in range(len({0})):\n        per_core = align(ceil_div(numel({0}[t]), "
             "cores()), 64)\n"
             "        first = core() * per_core\n        last = min(first + per_core, "
             "numel({0}[t]))\n",
             list_) +
         AccumulateEach("first", "last", loads, early) + "        with compute:\n" + kept +
         "        with copyout:\n" + slots +
         fmt::format("    sync_all()\n    for t in range(core(), len({}), cores()):\n", list_) +
         "        with copyin:\n" + joined + FinishEach(late, "col_{how}(all{i})", stores);
}

PlanResult<KernelText> WriteKernel(const PlanTask& task, const PlanCase& c, const Layout& layout,
                                   bool guarded) {
  return Tried([&] { return KernelWriter(task, c, layout, guarded).Run(); });
}

}  // namespace akgen::craft
