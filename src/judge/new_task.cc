#include "judge/new_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/dtype.h"
#include "judge/project_text.h"

namespace akgen::judge {
using base::Json;
namespace {
// What TorchScript calls the parameters and attributes.
std::string TypeOf(const Json& param) {
  const std::string kind = param.value("param_type", "");
  return kind == "dynamic" ? "List[Tensor]" : kind == "optional" ? "Optional[Tensor]" : "Tensor";
}
std::string AttrTypeOf(const std::string& type) {
  return type == "list_int" ? "List[int]" : type == "list_float" ? "List[float]" : type == "string" ? "str" : type;
}

std::string DtypeAt(const Json& param, size_t column) {
  const Json list = param.value("dtypes", Json::array());
  if (list.empty()) return "float32";
  const auto name = base::NameOf(base::Dtype(list[std::min(column, list.size() - 1)].get<int>()));
  return std::string(name);
}
size_t Columns(const Json& examined) {
  size_t most = 1;
  for (const char* part : {"inputs", "outputs"})
    for (const Json& p : examined[part]) most = std::max(most, p.value("dtypes", Json::array()).size());
  return most;
}

// `dtype = "…"`, of a parameter that has one, else the column of the cases.
std::string DtypeLine(const Json& param) {
  for (size_t c = 1; c < param.value("dtypes", Json::array()).size(); ++c)
    if (DtypeAt(param, c) != DtypeAt(param, 0)) return "$dtype_" + param.value("name", "");
  return DtypeAt(param, 0);
}

void AddParam(const Json& p, bool input, std::string* out) {
  const std::string dtype = DtypeLine(p);
  const bool list = p.value("param_type", "") == "dynamic";
  *out += fmt::format("\n[[{}]]\nname = {}\n{}dtype = \"{}\"\nshape = \"{}\"\n", input ? "input" : "output",
                      base::Dump(Json(p.value("name", ""))), list ? "kind = \"list\"\n" : "", dtype,
                      list ? "$shapes" : "$shape");
  if (!input) return;
  if (p.value("param_type", "") == "optional") *out += "optional = true\n";
  const bool real = DtypeAt(p, 0).find("float") != std::string::npos;
  *out += real ? "dist = { kind = \"normal\", integers = { kind = \"int\", low = -10, high = 10 } }\n"
               : "dist = { kind = \"int\", low = 0, high = 10 }\n";
}

std::string TaskToml(const Json& e, const std::string& entry) {
  std::string out = fmt::format(
      "schema = 1\nname = {}\nlevel = 1\ncategory = \"Own\"\nentry = {}\ndescription = \"\"\"\n"
      "To be written: what the operator computes, in one formula.\n\"\"\"\n",
      base::Dump(e["op"]), base::Dump(Json(entry)));
  for (const Json& p : e["inputs"]) AddParam(p, true, &out);
  for (const Json& p : e["outputs"]) AddParam(p, false, &out);
  for (const Json& a : e["attrs"]) {
    const std::string type = a.value("type", "int");
    out += fmt::format("\n[[attr]]\nname = {}\ntype = \"{}\"\nvalue = \"${}\"\n", base::Dump(a["name"]), type,
                       a.value("name", ""));
  }
  return out + "\n[precision]\nrule = \"D\"\n";
}

Json DefaultFromJson(const Json& attr) {
  if (auto given = attr.find("default"); given != attr.end() && !given->is_null()) return *given;
  const std::string type = attr.value("type", "int");
  if (type == "bool") return false;
  if (type == "string") return "";
  if (type.starts_with("list")) return Json::array({1});
  return type == "float" ? Json(1.0) : Json(1);
}

Json Cases(const Json& e) {
  Json cases = Json::array();
  for (size_t column = 0; column < Columns(e); ++column)
    for (const Json& shape : {Json{64, 256}, Json{37, 123}}) {
      Json row{{"id", std::to_string(cases.size())}, {"shape", shape}};
      for (const char* part : {"inputs", "outputs"})
        for (const Json& p : e[part]) {
          if (p.value("param_type", "") == "dynamic") row["shapes"] = Json::array({shape, shape});
          if (DtypeLine(p).starts_with("$")) row["dtype_" + p.value("name", "")] = DtypeAt(p, column);
        }
      for (const Json& a : e["attrs"]) row[a.value("name", "")] = DefaultFromJson(a);
      cases.push_back(std::move(row));
    }
  return cases;
}

std::string Reference(const Json& e) {
  std::string params, result, values;
  for (const Json& p : e["inputs"]) params += (params.empty() ? "" : ", ") + p.value("name", "") + ": " + TypeOf(p);
  for (const Json& a : e["attrs"])
    params += (params.empty() ? "" : ", ") + a.value("name", "") + ": " + AttrTypeOf(a.value("type", "int"));
  for (const Json& p : e["outputs"]) {
    const bool list = p.value("param_type", "") == "dynamic";
    result += (result.empty() ? "" : ", ") + std::string(list ? "List[Tensor]" : "Tensor");
    values += (values.empty() ? "" : ", ") + std::string(list ? "[torch.zeros(1)]" : "torch.zeros(1)");
  }
  if (e["outputs"].size() > 1) result = "Tuple[" + result + "]";
  return fmt::format("def reference({}) -> {}:\n    # To be written: the outputs, in order\n    return {}\n", params,
                     result, values);
}
}  // namespace

base::Result<std::map<std::string, std::string>> NewTask(const Json& examined) {
  if (examined.value("op", "").empty() || examined["inputs"].empty() || examined["outputs"].empty())
    return base::Error{"AK0405", "no operator definition: " + examined.value("reason", ""),
                       examined.value("project", ""), "see `akgen doctor PROJECT`"};
  const std::string entry = std::filesystem::path(examined.value("kernel", "")).stem().string();
  return std::map<std::string, std::string>{{"task.toml", TaskToml(examined, entry)},
                                            {"cases.json", base::Dump(Cases(examined), 1) + "\n"},
                                            {"reference.py", Reference(examined)}};
}

}  // namespace akgen::judge
