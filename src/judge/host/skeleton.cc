#include "judge/host/skeleton.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "judge/host/requests.h"

namespace akgen::judge {
namespace {
using task::CaseDesc;
using task::ParamDesc;
using task::ParamKind;
using task::TaskSpec;

constexpr int kMaxRank = 8, kMaxList = 16;

bool IsDefined(const task::ParamSpec& output) {
  return output.shape_of.empty() && (output.in_signature || output.inplace_of.empty());
}

// Dtypes of all parameters in one case, in the operator's order: one column of its definition.
std::vector<std::string> ColumnOf(const TaskSpec& task, const CaseDesc& c) {
  std::vector<std::string> out;
  auto add = [&](const ParamDesc& p) {
    out.push_back(p.tensors.empty() ? "" : std::string("ge::") + GeName(p.tensors[0].dtype));
  };
  for (const ParamDesc& p : c.inputs) add(p);
  for (size_t i = 0; i < c.outputs.size(); ++i)
    if (IsDefined(task.outputs[i])) add(c.outputs[i]);
  return out;
}

base::Result<std::vector<std::vector<std::string>>> Columns(const TaskSpec& task) {
  std::vector<std::vector<std::string>> out;
  for (const auto& row : task.cases) {
    auto c = task::ResolveCase(task, row);
    if (!c.ok()) return c.error();
    auto column = ColumnOf(task, *c);
    if (std::find(out.begin(), out.end(), column) == out.end()) out.push_back(std::move(column));
  }
  return out;
}

std::string Definition(const TaskSpec& task, const std::vector<std::vector<std::string>>& columns) {
  std::string out;
  size_t at = 0;
  auto param = [&](const char* side, const task::ParamSpec& p) {
    std::string dtypes, formats;
    for (const auto& column : columns) {
      dtypes += (dtypes.empty() ? "" : ", ") +
                (column[at].empty() ? "ge::DT_FLOAT" : column[at]);  // left out in this case
      formats += formats.empty() ? "ge::FORMAT_ND" : ", ge::FORMAT_ND";
    }
    ++at;
    const char* kind = p.kind == ParamKind::kList ? "DYNAMIC"
                       : p.optional               ? "OPTIONAL"
                                                  : "REQUIRED";
    out += std::string("    this->") + side + "(\"" + p.name + "\").ParamType(" + kind +
           ").DataType({" + dtypes + "}).Format({" + formats + "});\n";
  };
  for (const auto& p : task.inputs) param("Input", p);
  for (const auto& p : task.outputs)
    if (IsDefined(p)) param("Output", p);
  static const std::pair<const char*, const char*> kinds[] = {
      {"int", "Int"},       {"float", "Float"},      {"bool", "Bool"},
      {"string", "String"}, {"list_int", "ListInt"}, {"list_float", "ListFloat"}};
  for (const auto& a : task.attrs)
    for (auto [type, method] : kinds)
      if (a.type == type)
        out += "    this->Attr(\"" + a.name + "\").AttrType(REQUIRED)." + method + "();\n";
  return out;
}

// The struct's fields, the statements that fill them, and a comment for who reads them. Eight-byte
// fields come first, so that there are no gaps.
struct Fields {
  std::string wide, narrow, fill, notes;
};

void AddShape(Fields& f, const std::string& name, const std::string& get, size_t index) {
  f.wide += "TILING_DATA_FIELD_DEF(int64_t, " + name +
            "_rank);\nTILING_DATA_FIELD_DEF_ARR(int64_t, " + std::to_string(kMaxRank) + ", " +
            name + "_shape);\n";
  f.fill += "  {\n    int64_t dims[" + std::to_string(kMaxRank) + "] = {};\n    tiling.set_" +
            name + "_rank(Dims(context->" + get + "(" + std::to_string(index) +
            "), dims));\n    tiling.set_" + name + "_shape(dims);\n  }\n";
  f.notes += "//   t." + name + "_rank, t." + name + "_shape[" + std::to_string(kMaxRank) +
             "]: dimensions of " + name + "; rank -1: left out\n";
}

void AddAttr(Fields& f, const task::AttrSpec& a, size_t index) {
  std::string at = "(" + std::to_string(index) + ")";
  if (a.type != "string")
    f.notes += "//   t." + a.name +
               (a.type.starts_with("list_") ? "[], t." + a.name + "_count" : "") + ": attribute, " +
               a.type + "\n";
  if (a.type == "int")
    f.wide += "TILING_DATA_FIELD_DEF(int64_t, " + a.name + ");\n",
        f.fill += "  tiling.set_" + a.name + "(*attrs->GetInt" + at + ");\n";
  if (a.type == "bool")
    f.wide += "TILING_DATA_FIELD_DEF(int64_t, " + a.name + ");\n",
        f.fill += "  tiling.set_" + a.name + "(*attrs->GetBool" + at + ");\n";
  if (a.type == "float")
    f.narrow += "TILING_DATA_FIELD_DEF(float, " + a.name + ");\n",
        f.fill += "  tiling.set_" + a.name + "(*attrs->GetFloat" + at + ");\n";
  if (!a.type.starts_with("list_")) return;
  bool ints = a.type == "list_int";
  const std::string type = ints ? "int64_t" : "float", size = std::to_string(kMaxList);
  f.wide += "TILING_DATA_FIELD_DEF(int64_t, " + a.name + "_count);\n";
  (ints ? f.wide : f.narrow) +=
      "TILING_DATA_FIELD_DEF_ARR(" + type + ", " + size + ", " + a.name + ");\n";
  f.fill += "  {\n    const auto* list = attrs->" +
            std::string(ints ? "GetListInt" : "GetListFloat") + at + ";\n    " + type + " values[" +
            size + "] = {};\n    for (size_t i = 0; i < list->GetSize() && i < " + size +
            "; ++i) values[i] = list->GetData()[i];\n    tiling.set_" + a.name +
            "_count(static_cast<int64_t>(list->GetSize()));\n    tiling.set_" + a.name +
            "(values);\n  }\n";
}

Fields FieldsOf(const TaskSpec& task) {
  Fields f;
  for (size_t i = 0; i < task.inputs.size(); ++i)
    if (task.inputs[i].kind != ParamKind::kList)
      AddShape(f, task.inputs[i].name, "GetOptionalInputShape", i);
  size_t index = 0;
  for (const auto& p : task.outputs) {
    if (!IsDefined(p)) continue;
    bool known = std::any_of(task.inputs.begin(), task.inputs.end(),
                             [&](const auto& in) { return in.name == p.name; });
    if (p.kind != ParamKind::kList && !known) AddShape(f, p.name, "GetOutputShape", index);
    ++index;
  }
  for (size_t i = 0; i < task.attrs.size(); ++i) AddAttr(f, task.attrs[i], i);
  return f;
}

std::string Parameters(const TaskSpec& task) {
  std::string out;
  std::vector<std::string> names;
  auto add = [&](std::string name) {
    while (std::find(names.begin(), names.end(), name) != names.end()) name += "_out";
    names.push_back(name);
    out += "GM_ADDR " + name + ", ";
  };
  for (const auto& p : task.inputs) add(p.name);
  for (const auto& p : task.outputs)
    if (p.in_signature) add(p.name);
  return out + "GM_ADDR workspace, GM_ADDR tiling";
}
}  // namespace

base::Result<std::string> HostSkeleton(const TaskSpec& task) {
  auto columns = Columns(task);
  if (!columns.ok()) return columns.error();
  const Fields f = FieldsOf(task);
  const std::string data = task.name + "TilingData";
  std::string attrs = f.fill.find("attrs->") == std::string::npos
                          ? ""
                          : "  const gert::RuntimeAttrs* attrs = context->GetAttrs();\n";
  return "#include <cstddef>\n#include <cstdint>\n\n#include "
         "\"register/op_def_registry.h\"\n#include "
         "\"register/tilingdata_base.h\"\n"
         "#include \"tiling/platform/platform_ascendc.h\"\n\nnamespace optiling "
         "{\nBEGIN_TILING_DATA_DEF(" +
         data + ")\n" + f.wide + f.narrow + "END_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS(" +
         task.name + ", " + data +
         ")\n\n"
         "[[maybe_unused]] static int64_t Dims(const gert::StorageShape* shape, int64_t* dims) {\n "
         " if (shape == "
         "nullptr) return -1;\n"
         "  const gert::Shape& s = shape->GetStorageShape();\n  for (size_t i = 0; i < "
         "s.GetDimNum() && i < " +
         std::to_string(kMaxRank) +
         "; ++i) dims[i] = s.GetDim(i);\n  return static_cast<int64_t>(s.GetDimNum());\n}\n\n"
         "static ge::graphStatus Tiling(gert::TilingContext* context) {\n  " +
         data + " tiling;\n" + attrs + f.fill +
         "  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), "
         "context->GetRawTilingData()->GetCapacity());\n"
         "  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());\n"
         "  "
         "context->SetBlockDim(platform_ascendc::PlatformAscendC(context->GetPlatformInfo())."
         "GetCoreNumAiv());\n"
         "  context->GetWorkspaceSizes(1)[0] = 0;\n  return ge::GRAPH_SUCCESS;\n}\n}  // namespace "
         "optiling\n\n"
         "namespace ops {\nclass " +
         task.name + " : public OpDef {\n public:\n  explicit " + task.name +
         "(const char* name) : OpDef(name) {\n" + Definition(task, *columns) +
         "    this->AICore().SetTiling(optiling::Tiling).AddConfig(\"ascend910b\");\n  "
         "}\n};\nOP_ADD(" +
         task.name + ");\n}  // namespace ops\n";
}

std::string KernelSkeleton(const TaskSpec& task) {
  return "#include \"kernel_operator.h\"\n\nextern \"C\" __global__ __aicore__ void " + task.entry +
         "(" + Parameters(task) + ") {\n}\n";
}

base::Result<std::map<std::string, std::string>> ProjectSkeleton(const TaskSpec& task) {
  auto host = HostSkeleton(task);
  if (!host.ok()) return host.error();
  const std::string file = task.entry + ".cpp";
  std::string notes = FieldsOf(task).notes, types;
  auto type = [&](const task::ParamSpec& p) {
    std::string name = p.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return char(std::toupper(c)); });
    types += (types.empty() ? "DTYPE_" : ", DTYPE_") + name;
  };
  for (const auto& p : task.inputs) type(p);
  for (const auto& p : task.outputs)
    if (IsDefined(p)) type(p);
  std::string kernel = "#include \"kernel_operator.h\"\nusing namespace AscendC;\n\n";
  if (!notes.empty()) kernel += "// Tiling data, which op_host/" + file + " fills:\n" + notes;
  kernel += "// Types of elements in the case that is compiled: " + types +
            ".\nextern \"C\" __global__ __aicore__ void " + task.entry + "(" + Parameters(task) +
            ") {\n" + (notes.empty() ? "" : "  GET_TILING_DATA(t, tiling);\n") +
            "  // This is block GetBlockIdx() of GetBlockNum(), one for each vector core.\n}\n";
  return std::map<std::string, std::string>{{"op_host/" + file, *host},
                                            {"op_kernel/" + file, kernel}};
}

}  // namespace akgen::judge
