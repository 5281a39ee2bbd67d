#include "craft/plan/product_part.h"

#include <fmt/format.h>

#include <algorithm>

namespace akgen::craft {
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

ProductPart PartMaker::Make(const PartValues& part) {
  const PlanTask& whole = g_.task;
  ProductPart out;
  out.task.only_cases = whole.only_cases;
  auto argument = [&](const std::string& text) {
    out.args += (out.args.empty() ? "" : ", ") + text;
  };
  std::map<std::string, std::string> renamed;
  for (size_t i = 0; i < part.outside.size(); ++i) {
    const std::string& name = renamed[part.outside[i]] = fmt::format("x{}", i);
    out.task.params.push_back({name, false, false, false, "", part.given[i].dtypes});
    argument(part.given[i].name);
  }
  for (const PlanParam& p : whole.params)
    if (p.is_attr) out.task.params.push_back(p), argument(p.id);
  for (size_t i = 0; i < part.ids.size(); ++i) {
    PlanOutput o{false, part.dtypes[i], "", true, false};
    if (!part.outputs.empty()) {
      const PlanOutput& of = whole.outputs[part.outputs[i]];
      o.from_caller = of.from_caller, o.in_signature = of.in_signature;
      if (!of.inplace_of.empty()) o.inplace_of = renamed.at(of.inplace_of);
    }
    out.task.outputs.push_back(std::move(o));
  }
  for (const PlanCase& c : whole.cases) out.task.cases.push_back(CaseOf(c, part, renamed));
  for (const auto& [name, text] : extents_) {
    out.task.params.push_back({name, true, false, false, "int", {}});
    argument(text);
  }
  return out;
}

void PartMaker::NameExtents(GraphNumber& n, PlanCase& c, const std::set<std::string>& own) {
  const bool size = n.from == GraphNumber::From::kOperation && n.name == "size" &&
                    n.args.size() == 2 && n.HasInt();
  if (size && !own.count(n.args[0].name)) {
    const auto text = host_.SizeOf(n);
    const int64_t value = n.Int();
    if (!text) {
      n = GraphNumber(record::GraphConstant(value));
      return;
    }
    auto known = std::find_if(extents_.begin(), extents_.end(),
                              [&](const auto& e) { return e.second == *text; });
    const std::string name = known != extents_.end() ? known->first : NewExtent(g_.task, extents_);
    extents_[name] = *text;
    c.attrs[name] = value;
    n = GraphNumber::Of(GraphNumber::From::kAttribute, name, {}, value);
  }
  for (GraphNumber& inner : n.args) NameExtents(inner, c, own);
}

void PartMaker::NameExtents(GraphArg& a, PlanCase& c, const std::set<std::string>& own) {
  if (a.IsNumber()) NameExtents(a.number, c, own);
  for (GraphArg& inner : a.list) NameExtents(inner, c, own);
}

PlanCase PartMaker::CaseOf(const PlanCase& c, const PartValues& part,
                           const std::map<std::string, std::string>& renamed) {
  PlanCase out;
  out.column = c.column;
  out.attrs = c.attrs;
  std::set<std::string> own = part.needed;  // values that the part computes
  for (const std::string& id : part.outside) own.erase(id);
  for (const std::string& id : part.outside) out.shapes[renamed.at(id)] = g_.ShapeOf(id, c);
  for (const GraphNode& n : c.graph.nodes) {
    const bool wanted = std::any_of(n.out.begin(), n.out.end(), [&](const auto& o) {
      return part.needed.count(o.id) && !renamed.count(o.id);
    });
    if (!wanted) continue;
    GraphNode copy = n;
    for (GraphArg& a : copy.args) {
      NameExtents(a, out, own);
      record::ForEachTensor(a, [&](std::string& id) {
        if (auto it = renamed.find(id); it != renamed.end()) id = it->second;
      });
    }
    out.graph.nodes.push_back(std::move(copy));
  }
  for (const std::string& id : part.ids) {
    auto it = renamed.find(id);
    out.graph.outputs.push_back(it == renamed.end() ? id : it->second);
    out.outputs.push_back(g_.ShapeOf(id, c));
  }
  if (!c.graph.asked.empty()) throw Unplanned{"questions about elements beside products"};
  return out;
}

}  // namespace akgen::craft
