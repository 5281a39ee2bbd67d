// The operator's definition: inputs, outputs, attributes.
#include "craft/emit/host_writer.h"

namespace akgen::craft {

namespace {
std::string DefinedParam(const char* kind, const std::string& name, bool list, bool optional,
                         const std::vector<base::Dtype>& dtypes) {
  std::string types, formats;
  for (base::Dtype d : dtypes) {
    types += (types.empty() ? "" : ", ") + GeType(d);
    formats += formats.empty() ? "ge::FORMAT_ND" : ", ge::FORMAT_ND";
  }
  return fmt::format(
      "    this->{}(\"{}\")\n        .ParamType({})\n        .DataType({{{}}})\n        "
      ".Format({{{}}});\n",
      kind, name,
      list       ? "DYNAMIC"
      : optional ? "OPTIONAL"
                 : "REQUIRED",
      types, formats);
}

}  // namespace

std::string HostDefinition(const std::vector<LoweredProgram>& columns, const std::string& camel) {
  const ir::Program& program = columns[0].program;
  std::string out = fmt::format(
      "namespace ops {{\nclass {0} : public OpDef {{\n public:\n  explicit {0}(const char *name) : "
      "OpDef(name) {{\n",
      camel);
  for (const auto& p : program.params) {
    if (p.is_attr) continue;
    std::vector<base::Dtype> dtypes;
    for (const auto& c : columns) dtypes.push_back(c.program.Param(p.name)->dtype);
    out += DefinedParam("Input", p.name, p.is_list, p.optional, dtypes);
  }
  for (const auto& t : program.tensors) {
    if (t.kind == HostTensor::kWorkspace) continue;
    std::vector<base::Dtype> dtypes;
    for (const auto& c : columns) dtypes.push_back(c.program.Tensor(t.name)->dtype);
    out += DefinedParam("Output", t.name, t.is_list, false, dtypes);
  }
  for (const auto& p : program.params) {
    if (!p.is_attr) continue;
    const char* kind = p.is_int_list           ? "ListInt"
                       : p.type == Ty::kFloat  ? "Float"
                       : p.type == Ty::kBool   ? "Bool"
                       : p.type == Ty::kString ? "String"
                                               : "Int";
    std::string fallback;
    if (p.fallback && ir::AsConst(p.fallback))
      fallback = p.type == Ty::kString ? "\"" + p.fallback->text + "\""
                 : p.type == Ty::kFloat && p.fallback->type == Ty::kInt
                     ? fmt::format("{}.0", p.fallback->i)
                     : HostExpressions(program).Scalar(p.fallback);
    out += fmt::format("    this->Attr(\"{}\").AttrType({}).{}({});\n", p.name,
                       fallback.empty() ? "REQUIRED" : "OPTIONAL", kind, fallback);
  }
  out +=
      "    "
      "this->AICore().SetTiling(optiling::Tiling).AddConfig(\"ascend910b\").AddConfig(\"ascend910_"
      "93\");\n  "
      "}\n};\n";
  return out + fmt::format("OP_ADD({});\n}}  // namespace ops\n", camel);
}

}  // namespace akgen::craft
