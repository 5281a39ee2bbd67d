#include "task/describe.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <set>

namespace akgen::task {
namespace {
using base::Json;

// A value of task.toml as a reader sees it: "$column" without quotes.
std::string Text(const Json& v) { return v.is_string() ? v.get<std::string>() : base::Dump(v); }

std::string DtypesOf(const TaskSpec& task, bool input, size_t i) {
  std::set<std::string> names;
  for (const CaseRow& row : task.cases) {
    auto c = ResolveCase(task, row);
    if (!c.ok()) continue;
    for (const TensorDesc& t : (input ? c->inputs : c->outputs)[i].tensors)
      names.insert(std::string(base::NameOf(t.dtype)));
  }
  return fmt::format("{}", fmt::join(names, " | "));
}

std::string Line(const ParamSpec& p, const std::string& dtypes) {
  std::string out = fmt::format("  {} : {} {}", p.name,
                                p.kind == ParamKind::kList     ? "list of"
                                : p.kind == ParamKind::kScalar ? "number(s)"
                                                               : "tensor",
                                dtypes);
  if (!p.shape.is_null()) out += " " + Text(p.shape);
  if (p.optional) out += ", may be absent";
  if (!p.inplace_of.empty())
    out += ", written over " + p.inplace_of + (p.in_signature ? "" : " (no parameter of its own)");
  if (!p.shape_of.empty()) out += ", the shape of " + p.shape_of;
  if (p.zeroed) out += ", holds zeros before";
  if (p.compared.is_string()) out += ", compared where " + Text(p.compared);
  if (!p.dist.is_null()) out += "; drawn as " + base::Dump(p.dist);
  return out + "\n";
}

}  // namespace

std::string Describe(const TaskSpec& task) {
  std::string out =
      fmt::format("{} (level {}, {})\n\n{}\n\ninputs\n", task.name, task.level, task.category,
                  task.description.substr(0, task.description.find_last_not_of(" \n") + 1));
  for (size_t i = 0; i < task.inputs.size(); ++i)
    out += Line(task.inputs[i], DtypesOf(task, true, i));
  out += "outputs\n";
  for (size_t i = 0; i < task.outputs.size(); ++i)
    out += Line(task.outputs[i], DtypesOf(task, false, i));
  if (!task.attrs.empty()) out += "attributes\n";
  for (const AttrSpec& a : task.attrs)
    out += fmt::format("  {} : {} = {}\n", a.name, a.type, Text(a.value));
  out += fmt::format("precision: strict, or upstream rule {}{}\ncases\n", task.precision.rule,
                     task.precision.limit.is_null() ? "" : " " + Text(task.precision.limit));
  for (const CaseRow& row : task.cases) {
    Json columns = row.columns;
    columns.erase("id");
    out += fmt::format("  {}: {}\n", row.id, base::Dump(columns));
  }
  return out;
}

}  // namespace akgen::task
