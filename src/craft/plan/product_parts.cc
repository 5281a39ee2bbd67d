// What stands before, between and behind products.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "craft/plan/element.h"
#include "craft/plan/product_planner.h"

namespace akgen::craft {

void ProductPlanner::Closure(const std::string& id, std::set<std::string>& needed,
                             std::vector<std::string>& outside, bool target) const {
  if (needed.count(id)) return;
  needed.insert(id);
  auto it = maker_.find(id);
  if (it == maker_.end() || ProductOf(id).node || HasMade(id) ||
      (!target && (IsCut(*it->second, cut_) || shared_.count(id)))) {
    outside.push_back(id);
    return;
  }
  static const std::set<std::string> kSized = {"reshape", "view", "expand",
                                               "unflatten"};  // shapes say the sizes
  for (const GraphArg& a : it->second->args) {
    if (kSized.count(it->second->op) && !a.IsTensor()) continue;
    ForEachRead(a, [&](const std::string& t) {
      if (!IsWindowed(it->second->op)) return Closure(t, needed, outside, false);
      if (needed.insert(t).second) outside.push_back(t);
    });
  }
}

// Values that several launches read are stored rather than computed again by each, unless that
// takes a few operations only: the sum that a network's block passes on grows with every block.
void ProductPlanner::FindShared() {
  constexpr int kCheap = 4, kReduction = 8;
  std::map<std::string, std::set<std::string>> readers;  // by value: the launches that read it
  for (const std::string& o : graph_.outputs) readers[o].insert("");
  for (auto n = graph_.nodes.rbegin(); n != graph_.nodes.rend(); ++n)
    for (const GraphArg& a : n->args)
      record::ForEachTensor(a, [&](const std::string& id) {
        if (IsProduct(n->op) || IsWindowed(n->op))
          readers[id].insert(id);
        else if (IsCut(*n, cut_))
          readers[id].insert(n->id());
        else
          for (const auto& o : n->out)
            readers[id].insert(readers[o.id].begin(), readers[o.id].end());
      });
  std::map<std::string, int> cost;  // of computing a value from what is stored
  for (const GraphNode& n : graph_.nodes) {
    int all = IsCut(n, 4) ? IsReduction(n) ? kReduction : 1 : 0;
    if (n.op == "cat") all = static_cast<int>(n.args.at(0).list.size());
    for (const GraphArg& a : n.args)
      record::ForEachTensor(a, [&](const std::string& id) { all += cost[id]; });
    all = std::min(all, 1000);
    for (const auto& o : n.out) {
      const bool stored = ProductOf(o.id).node || IsCut(n, cut_);
      if (!stored && all > kCheap && readers[o.id].size() > 1) shared_.insert(o.id);
      cost[o.id] = stored || shared_.count(o.id) ? 0 : all;
    }
  }
}

void ProductPlanner::ForEachRead(const GraphArg& a,
                                 const std::function<void(const std::string&)>& visit) const {
  if (a.IsTensor()) visit(a.tensor);
  for (const GraphArg& inner : a.list) ForEachRead(inner, visit);
  std::function<void(const GraphNumber&)> number = [&](const GraphNumber& n) {
    if (IsKnownExtent(n)) return;
    if (n.from == GraphNumber::From::kTensor) visit(n.name);
    for (const GraphNumber& inner : n.args) number(inner);
  };
  if (a.IsNumber()) number(a.number);
}

bool ProductPlanner::IsKnownExtent(const GraphNumber& n) const {
  return n.from == GraphNumber::From::kOperation && n.name == "size" && n.args.size() == 2 &&
         n.HasInt() && n.args[0].from == GraphNumber::From::kTensor && n.args[1].HasInt() &&
         (stored_.count(n.args[0].name) || HasMade(n.args[0].name));
}

namespace {
// A name that no parameter of the task has, which may itself be a part of another one.
std::string NewExtent(const PlanTask& task, const std::map<std::string, std::string>& known) {
  for (size_t i = known.size();; ++i) {
    std::string name = fmt::format("extent{}", i);
    const bool taken = std::any_of(task.params.begin(), task.params.end(),
                                   [&](const PlanParam& p) { return p.id == name; });
    if (!taken && !known.contains(name)) return name;
  }
}
}  // namespace

void ProductPlanner::NameExtents(GraphNumber& n, PlanCase& c, const std::set<std::string>& own,
                                 Extents& extents) {
  const bool size = n.from == GraphNumber::From::kOperation && n.name == "size" &&
                    n.args.size() == 2 && n.HasInt();
  if (size && !own.count(n.args[0].name)) {
    const auto text = SizeOf(n);
    const int64_t value = n.Int();
    if (!text) {
      n = GraphNumber(record::GraphConstant(value));
      return;
    }
    auto known = std::find_if(extents.begin(), extents.end(),
                              [&](const auto& e) { return e.second == *text; });
    const std::string name = known != extents.end() ? known->first : NewExtent(task_, extents);
    extents[name] = *text;
    c.attrs[name] = value;
    n = GraphNumber::Of(GraphNumber::From::kAttribute, name, {}, value);
  }
  for (GraphNumber& inner : n.args) NameExtents(inner, c, own, extents);
}

void ProductPlanner::NameExtents(GraphArg& a, PlanCase& c, const std::set<std::string>& own,
                                 Extents& extents) {
  if (a.IsNumber()) NameExtents(a.number, c, own, extents);
  for (GraphArg& inner : a.list) NameExtents(inner, c, own, extents);
}

bool ProductPlanner::HasMade(const std::string& id) const {
  auto it = made_.lower_bound({id, {}});
  return it != made_.end() && it->first.first == id;
}

StoredValue ProductPlanner::Outside(const std::string& id) {
  if (auto it = stored_.find(id); it != stored_.end()) return it->second;
  if (HasMade(id)) return made_.lower_bound({id, {}})->second;
  return Store(id, ColumnDtypes(task_.outputs[0].dtypes.size(), DtypeOf(id)));
}

Dtype ProductPlanner::DtypeOf(const std::string& id) const {
  const GraphNode& n = *maker_.at(id);
  for (const auto& o : n.out) {
    if (o.id != id) continue;
    if (o.dtype == "Bool") return Dtype::kBool;
    if (o.dtype == "Long" || o.dtype == "Int" || o.dtype == "Short" || o.dtype == "Char")
      return Dtype::kInt32;
    if (o.dtype.find("Complex") != std::string::npos)
      throw Unplanned{"complex numbers between launches"};
  }
  return Dtype::kFloat32;
}

std::vector<StoredValue> ProductPlanner::Part(const std::vector<std::string>& ids,
                                              const std::vector<ColumnDtypes>& dtypes,
                                              std::vector<std::string> names,
                                              const std::vector<size_t>& outputs) {
  std::set<std::string> needed;
  std::vector<std::string> outside, used;
  for (const std::string& id : ids) Closure(id, needed, outside, true);
  for (size_t o : outputs)
    if (const std::string& of = task_.outputs[o].inplace_of;
        !of.empty() && needed.insert(of).second)
      outside.push_back(of);
  PlanTask part;
  part.only_cases = task_.only_cases;
  std::map<std::string, std::string> renamed;
  std::string args;
  for (const std::string& id : outside) {
    StoredValue s = Outside(id);
    renamed[id] = fmt::format("x{}", part.params.size());
    part.params.push_back({renamed[id], false, false, false, "", s.dtypes});
    args += (args.empty() ? "" : ", ") + s.name;
  }
  for (const PlanParam& p : task_.params)
    if (p.is_attr) part.params.push_back(p), args += (args.empty() ? "" : ", ") + p.id;
  for (size_t i = 0; i < ids.size(); ++i)
    part.outputs.push_back(
        {false, dtypes[i], "", true, !outputs.empty() && task_.outputs[outputs[i]].from_caller});
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PlanOutput& o = task_.outputs[outputs[i]];
    if (!o.inplace_of.empty()) part.outputs[i].inplace_of = renamed.at(o.inplace_of);
    part.outputs[i].in_signature = o.in_signature;
    if (!o.in_signature) names[i].clear();
  }
  std::erase(names, "");
  Extents extents;
  for (const PlanCase& c : task_.cases)
    part.cases.push_back(CaseOf(c, ids, needed, outside, renamed, extents));
  for (const auto& [name, text] : extents) {
    part.params.push_back({name, true, false, false, "int", {}});
    args += (args.empty() ? "" : ", ") + text;
  }
  const bool whole = std::ranges::all_of(
      outside, [&](const std::string& id) { return maker_.find(id) == maker_.end(); });
  if (ids.size() > 1 && whole && part.cases[0].graph.nodes.size() == graph_.nodes.size())
    throw Unplanned{"outputs that are made of each other"};  // what has been asked for
  std::string own = Planned(part);
  std::vector<StoredValue> out;
  for (size_t i = 0; i < ids.size(); ++i) {
    const PlanOutput* o = outputs.empty() ? nullptr : &task_.outputs[outputs[i]];
    if (o && !o->inplace_of.empty()) continue;
    StoredValue s{o ? fmt::format("y{}", outputs[i]) : names[i], {}, dtypes[i]};
    const auto known = ExtentsOf(ids[i]);
    if (!known && o && o->from_caller) continue;  // any expression would do for the cases
    for (size_t d = 0; d < ShapeOf(ids[i]).size(); ++d) {
      s.extents.push_back(fmt::format("{}_{}", s.name, d));
      body_ += fmt::format("    {} = {}\n", s.extents.back(),
                           known ? (*known)[d] : Extent(ids[i], d, outside));
    }
    args += InShape(own, "op", i, s.extents);
    out.push_back(std::move(s));
  }
  // Parts that do the same are one function: a network repeats its blocks.
  auto [function, is_new] = parts_.emplace(own, "");
  if (is_new) {
    function->second = std::to_string(++names_);
    functions_ += OwnNames(own, function->second) + "\n\n";
  }
  body_ += fmt::format("    {}{}part{}({})\n", fmt::join(names, ", "), names.empty() ? "" : " = ",
                       function->second, args);
  return out;
}

const std::string& ProductPlanner::Planned(const PlanTask& part) {
  base::Json key = base::Json::array();
  for (const PlanParam& p : part.params) key.push_back({p.id, p.is_attr, p.type, p.dtypes});
  for (const PlanOutput& o : part.outputs)
    key.push_back({o.dtypes, o.inplace_of, o.in_signature, o.from_caller});
  for (const PlanCase& c : part.cases)
    key.push_back({c.column, record::ToJson(Pruned(c.graph)), c.shapes, c.attrs, c.outputs});
  auto [planned, is_new] = planned_.emplace(base::Dump(key), "");
  if (is_new) {
    auto text = PlanGraph(part, target_, cut_);
    if (!text.ok()) throw text.error();
    planned->second = *text;
  }
  return planned->second;
}

// Rules give an output as many elements as it has; where it is read again its dimensions are told,
// too: in the function that makes it, and in those on the way there.
std::string ProductPlanner::InShape(std::string& text, const std::string& function, size_t output,
                                    const std::vector<std::string>& extents) {
  const std::string head = fmt::format("@host\ndef {}(", function),
                    name = fmt::format("y{}", output);
  const size_t host = text.rfind(head);
  if (host == std::string::npos || extents.empty()) return "";
  if (const size_t told = text.find(fmt::format(", {}_0: int", name), host);
      told < text.find('\n', host + 6))
    return "";
  const size_t stop = std::min(text.find("\n@", host + 1), text.size()),
               end = text.find("):\n", host);
  std::string params, dims, args;
  for (size_t d = 0; d < extents.size(); ++d) {
    params += fmt::format(", {}_{}: int", name, d);
    dims += fmt::format("{}{}_{}", d ? ", " : "", name, d);
    args += ", " + extents[d];
  }
  const std::string made = fmt::format("\n    {} = empty(", name),
                    called = fmt::format("\n    {} = part", name);
  if (const size_t at = text.find(made, host); at < stop) {
    const size_t from = at + made.size(), line = text.find('\n', from),
                 column = text.find(", column(", from);
    const size_t to = std::min(column < line ? column : line, text.rfind(", ", line));
    if (text.compare(from, 7, "given, ") == 0) return "";  // the caller's
    std::string times = dims;
    for (size_t i = times.find(", "); i != std::string::npos; i = times.find(", "))
      times.replace(i, 2, " * ");
    const std::string shape = text.substr(from, to - from);
    text.replace(from, to - from, "[" + dims + "]");
    text.insert(at + 1, fmt::format("    require(prod({}) == {})\n", shape, times));
  } else if (const size_t call = text.find(called, host); call < stop) {
    const size_t from = call + called.size() - 4, open = text.find('(', from),
                 close = text.find('\n', open) - 1;
    std::vector<std::string> names;
    for (size_t d = 0; d < extents.size(); ++d) names.push_back(fmt::format("{}_{}", name, d));
    std::string inner = text;
    const std::string more = InShape(inner, text.substr(from, open - from), 0, names);
    if (more.empty()) return "";
    const size_t moved = inner.size() - text.size();  // that function stands before this one
    text = std::move(inner);
    text.insert(close + moved, more);
    text.insert(end + moved, params);
    return args;
  } else {
    return "";
  }
  text.insert(end, params);
  return args;
}

PlanCase ProductPlanner::CaseOf(const PlanCase& c, const std::vector<std::string>& ids,
                                const std::set<std::string>& needed,
                                const std::vector<std::string>& outside,
                                const std::map<std::string, std::string>& renamed,
                                Extents& extents) {
  PlanCase out;
  out.column = c.column;
  out.attrs = c.attrs;
  std::set<std::string> own = needed;  // values that the part computes
  for (const std::string& id : outside) own.erase(id);
  for (const std::string& id : outside) out.shapes[renamed.at(id)] = ShapeOf(id, c);
  for (const GraphNode& n : c.graph.nodes) {
    const bool wanted = std::any_of(n.out.begin(), n.out.end(), [&](const auto& o) {
      return needed.count(o.id) && !renamed.count(o.id);
    });
    if (!wanted) continue;
    GraphNode copy = n;
    for (GraphArg& a : copy.args) {
      NameExtents(a, out, own, extents);
      record::ForEachTensor(a, [&](std::string& id) {
        if (auto it = renamed.find(id); it != renamed.end()) id = it->second;
      });
    }
    out.graph.nodes.push_back(std::move(copy));
  }
  for (const std::string& id : ids) {
    auto it = renamed.find(id);
    out.graph.outputs.push_back(it == renamed.end() ? id : it->second);
    out.outputs.push_back(ShapeOf(id, c));
  }
  if (!c.graph.asked.empty()) throw Unplanned{"questions about elements beside products"};
  return out;
}

std::string ProductPlanner::OwnNames(const std::string& text, const std::string& number) const {
  std::map<std::string, std::string> names = {{"op", "part" + number}};
  // Beside products best_cores() is the number of Cube cores.
  if (has_products_) names["best_cores"] = "vector_cores";
  for (const std::string start : {"@kernel\ndef ", "@host\ndef "})
    for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
      const size_t from = at + start.size();
      const std::string name = text.substr(from, text.find('(', from) - from);
      if (name != "op") names[name] = fmt::format("part{}_{}", number, name);
    }
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && base::IsWord(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    auto it = names.find(word);
    out += it == names.end() ? word : it->second;
    i = end;
  }
  return out;
}

}  // namespace akgen::craft
