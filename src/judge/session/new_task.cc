#include "judge/session/new_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/dtype.h"
#include "judge/session/project_text.h"

namespace akgen::judge {
using base::Json;
namespace {
// What TorchScript calls the parameters and attributes.
std::string TypeOf(const ParamDefinition& p) {
  return p.presence == Presence::kDynamic    ? "List[Tensor]"
         : p.presence == Presence::kOptional ? "Optional[Tensor]"
                                             : "Tensor";
}
std::string TypeOf(const AttrDefinition& a) {
  return a.type == "list_int"     ? "List[int]"
         : a.type == "list_float" ? "List[float]"
         : a.type == "string"     ? "str"
                                  : a.type;
}

std::string DtypeAt(const ParamDefinition& p, size_t column) {
  if (p.dtypes.empty()) return "float32";
  return std::string(base::NameOf(base::Dtype(p.dtypes[std::min(column, p.dtypes.size() - 1)])));
}
size_t Columns(const OperatorDefinition& op) {
  size_t most = 1;
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const ParamDefinition& p : *list) most = std::max(most, p.dtypes.size());
  return most;
}

// `dtype = "…"`, of a parameter that has one, else the column of the cases.
std::string DtypeLine(const ParamDefinition& p) {
  for (size_t c = 1; c < p.dtypes.size(); ++c)
    if (DtypeAt(p, c) != DtypeAt(p, 0)) return "$dtype_" + p.name;
  return DtypeAt(p, 0);
}

void AddParam(const ParamDefinition& p, bool input, std::string* out) {
  const bool list = p.presence == Presence::kDynamic;
  *out += fmt::format("\n[[{}]]\nname = {}\n{}dtype = \"{}\"\nshape = \"{}\"\n",
                      input ? "input" : "output", base::Dump(Json(p.name)),
                      list ? "kind = \"list\"\n" : "", DtypeLine(p), list ? "$shapes" : "$shape");
  if (!input) return;
  if (p.presence == Presence::kOptional) *out += "optional = true\n";
  const bool real = DtypeAt(p, 0).find("float") != std::string::npos;
  *out +=
      real ? "dist = { kind = \"normal\", integers = { kind = \"int\", low = -10, high = 10 } }\n"
           : "dist = { kind = \"int\", low = 0, high = 10 }\n";
}

std::string TaskToml(const OperatorDefinition& op, const std::string& entry) {
  std::string out = fmt::format(
      "schema = 1\nname = {}\nlevel = 1\ncategory = \"Own\"\nentry = {}\ndescription = \"\"\"\n"
      "To be written: what the operator computes, in one formula.\n\"\"\"\n",
      base::Dump(Json(op.name)), base::Dump(Json(entry)));
  for (const ParamDefinition& p : op.inputs) AddParam(p, true, &out);
  for (const ParamDefinition& p : op.outputs) AddParam(p, false, &out);
  for (const AttrDefinition& a : op.attrs)
    out += fmt::format("\n[[attr]]\nname = {}\ntype = \"{}\"\nvalue = \"${}\"\n",
                       base::Dump(Json(a.name)), a.type, a.name);
  return out + "\n[precision]\nrule = \"D\"\n";
}

Json SomeValue(const AttrDefinition& attr) {
  if (attr.type == "bool") return false;
  if (attr.type == "string") return "";
  if (attr.type.starts_with("list")) return Json::array({1});
  return attr.type == "float" ? Json(1.0) : Json(1);
}

Json Cases(const OperatorDefinition& op) {
  Json cases = Json::array();
  for (size_t column = 0; column < Columns(op); ++column)
    for (const Json& shape : {Json{64, 256}, Json{37, 123}}) {
      Json row{{"id", std::to_string(cases.size())}, {"shape", shape}};
      for (const auto* list : {&op.inputs, &op.outputs})
        for (const ParamDefinition& p : *list) {
          if (p.presence == Presence::kDynamic) row["shapes"] = Json::array({shape, shape});
          if (DtypeLine(p).starts_with("$")) row["dtype_" + p.name] = DtypeAt(p, column);
        }
      for (const AttrDefinition& a : op.attrs) row[a.name] = SomeValue(a);
      cases.push_back(std::move(row));
    }
  return cases;
}

std::string Reference(const OperatorDefinition& op) {
  std::string params, result, values;
  for (const ParamDefinition& p : op.inputs)
    params += (params.empty() ? "" : ", ") + p.name + ": " + TypeOf(p);
  for (const AttrDefinition& a : op.attrs)
    params += (params.empty() ? "" : ", ") + a.name + ": " + TypeOf(a);
  for (const ParamDefinition& p : op.outputs) {
    const bool list = p.presence == Presence::kDynamic;
    result += (result.empty() ? "" : ", ") + std::string(list ? "List[Tensor]" : "Tensor");
    values +=
        (values.empty() ? "" : ", ") + std::string(list ? "[torch.zeros(1)]" : "torch.zeros(1)");
  }
  if (op.outputs.size() > 1) result = "Tuple[" + result + "]";
  return fmt::format(
      "def reference({}) -> {}:\n    # To be written: the outputs, in order\n    return {}\n",
      params, result, values);
}
}  // namespace

base::Result<std::map<std::string, std::string>> NewTask(const ExaminedProject& examined) {
  const OperatorDefinition& op = examined.op;
  if (op.name.empty() || op.inputs.empty() || op.outputs.empty())
    return base::Error{"AK0405", "no operator definition: " + examined.judgement.reason,
                       examined.judgement.project, "see `akgen doctor PROJECT`"};
  const std::string entry = examined.project.kernel.stem().string();
  return std::map<std::string, std::string>{{"task.toml", TaskToml(op, entry)},
                                            {"cases.json", base::Dump(Cases(op), 1) + "\n"},
                                            {"reference.py", Reference(op)}};
}

}  // namespace akgen::judge
