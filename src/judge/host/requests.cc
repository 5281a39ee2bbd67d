#include "judge/host/requests.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "judge/host/blocked.h"
#include "task/dist_spec.h"

namespace akgen::judge {
namespace {
using base::Dtype;
using base::Json;

std::string Upper(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return s;
}

// C++ type of a dtype in kernel code, and its DT_ name.
std::pair<const char*, const char*> KernelType(Dtype d) {
  switch (d) {
    case Dtype::kFloat32: return {"float", "DT_FLOAT"};
    case Dtype::kFloat16: return {"half", "DT_FLOAT16"};
    case Dtype::kBfloat16: return {"bfloat16_t", "DT_BF16"};
    case Dtype::kInt8: return {"int8_t", "DT_INT8"};
    case Dtype::kUint8: return {"uint8_t", "DT_UINT8"};
    case Dtype::kInt16: return {"int16_t", "DT_INT16"};
    case Dtype::kUint16: return {"uint16_t", "DT_UINT16"};
    case Dtype::kInt32: return {"int32_t", "DT_INT32"};
    case Dtype::kUint32: return {"uint32_t", "DT_UINT32"};
    case Dtype::kInt64: return {"int64_t", "DT_INT64"};
    case Dtype::kUint64: return {"uint64_t", "DT_UINT64"};
    case Dtype::kFloat64: return {"double", "DT_DOUBLE"};
    case Dtype::kBool: return {"bool", "DT_BOOL"};
    case Dtype::kComplex64: return {"complex64", "DT_COMPLEX64"};
  }
  if (int(d) == task::kInt4) return {"int4b_t", "DT_INT4"};
  return {"float", "DT_FLOAT"};
}

void DefineDtype(std::string& out, const std::string& name, Dtype d, int format) {
  auto [type, code] = KernelType(d);
  std::string n = Upper(name);
  out += "#define DTYPE_" + n + " " + type + "\n#define ORIG_DTYPE_" + n + " " + code +
         "\n#define FORMAT_" + n + " " + std::to_string(format) + "\n";
}

// Whether parameter `p`, as the case gives it, is what column `column` of its definition allows.
bool FitsColumn(const ParamDefinition& d, const task::ParamDesc& p, size_t column) {
  if (p.tensors.empty()) return true;
  if (column >= d.dtypes.size() || d.dtypes[column] != p.DeclaredDtype()) return false;
  if (p.declared) return column >= d.formats.size() || d.formats[column] == p.declared->format;
  const size_t rank = column < d.formats.size() ? AxesOf(d.formats[column]).size() : 0;  // 0: any
  return rank == 0 || p.tensors[0].shape.size() == rank;
}

bool AllFit(const std::vector<ParamDefinition>& defined, const std::vector<task::ParamDesc>& given,
            size_t column) {
  for (size_t i = 0; i < std::min(defined.size(), given.size()); ++i)
    if (!FitsColumn(defined[i], given[i], column)) return false;
  return true;
}

// The column of the definition's combinations of dtypes and formats that the case uses; none if it
// lists no such one. Of several that its inputs fit, the first that its outputs fit too.
std::optional<size_t> ColumnOf(const OperatorDefinition& op, const task::CaseDesc& c) {
  const size_t columns = op.inputs.empty() ? 0 : op.inputs[0].dtypes.size();
  std::optional<size_t> first;
  for (size_t column = 0; column < columns; ++column) {
    if (!AllFit(op.inputs, c.inputs, column)) continue;
    if (AllFit(op.outputs, c.outputs, column)) return column;
    if (!first) first = column;
  }
  return first;
}

// dtype of the op definition's parameter i in this case: the task's; of one that is left out, what
// the column says, else the definition's first.
Dtype DtypeOf(const ParamDefinition& d, const std::vector<task::ParamDesc>& params, size_t i,
              std::optional<size_t> column) {
  if (i < params.size() && !params[i].tensors.empty()) return Dtype(params[i].DeclaredDtype());
  return d.dtypes.empty() ? Dtype::kFloat32
                          : Dtype(d.dtypes[column && *column < d.dtypes.size() ? *column : 0]);
}

int FormatOf(const std::vector<ParamDefinition>& params, const std::vector<task::ParamDesc>& given,
             size_t i, std::optional<size_t> column) {
  if (i < given.size() && given[i].declared) return given[i].declared->format;
  if (!column || i >= params.size() || *column >= params[i].formats.size()) return task::kFormatNd;
  return params[i].formats[*column];
}

TileParam ParamOf(const task::ParamDesc& p, int format) {
  TileParam out{p.present, p.kind == task::ParamKind::kList, {}};
  for (size_t i = 0; i < p.tensors.size(); ++i) {
    TileTensor t{p.DeclaredShape(i), Dtype(p.DeclaredDtype()), format, {}};
    if (p.declared && !p.declared->storage.empty())
      t.origin_format = p.declared->origin_format, t.storage = p.declared->storage;
    out.tensors.push_back(std::move(t));
  }
  return out;
}
}  // namespace

const char* GeName(Dtype dtype) { return KernelType(dtype).second; }

std::string KernelPrelude(const Description& host, const OperatorDefinition& op,
                          const task::CaseDesc& c) {
  std::string out;
  const std::optional<size_t> column = ColumnOf(op, c);
  for (size_t i = 0; i < op.inputs.size(); ++i)
    DefineDtype(out, op.inputs[i].name, DtypeOf(op.inputs[i], c.inputs, i, column),
                FormatOf(op.inputs, c.inputs, i, column));
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const std::string& name = op.outputs[i].name;
    const bool again = std::any_of(op.inputs.begin(), op.inputs.end(),
                                   [&](const auto& p) { return p.name == name; });
    if (!again)
      DefineDtype(out, name, DtypeOf(op.outputs[i], c.outputs, i, column),
                  FormatOf(op.outputs, c.outputs, i, column));
  }
  out += host.tiling_header;
  for (const TilingClass& t : host.tiling)
    if (t.op == op.name) out += "\nusing AkgenDefaultTiling = " + t.name + ";\n";
  return out;
}

bool LeaveOut(const std::string& structure, std::string* prelude) {
  const size_t begin = prelude->find("struct alignas(8) " + structure + " {\n");
  const std::string last = "\"layout of " + structure + "\");\n";
  const size_t end = begin == std::string::npos ? begin : prelude->find(last, begin);
  if (end == std::string::npos) return false;
  prelude->erase(begin, end + last.size() - begin);
  const std::string usual = "\nusing AkgenDefaultTiling = " + structure + ";\n";
  if (const size_t at = prelude->find(usual); at != std::string::npos)
    prelude->erase(at, usual.size());
  const std::string head = "struct alignas(8) ", field = "  alignas(8) " + structure + " ";
  for (size_t at; (at = prelude->find(field)) != std::string::npos;) {
    const size_t name = prelude->rfind(head, at) + head.size();
    LeaveOut(prelude->substr(name, prelude->find(' ', name) - name), prelude);
  }
  return true;
}

OperatorDefinition ChooseOp(const Description& host, const task::TaskSpec& task) {
  for (const OperatorDefinition& op : host.ops)
    if (op.name == task.name) return op;
  return host.ops.empty() ? OperatorDefinition() : host.ops.front();
}

bool InDefinition(const task::ParamSpec& p) {
  return p.shape_of.empty() && (p.in_signature || p.inplace_of.empty());
}
bool InDefinition(const task::ParamDesc& p) {
  return !p.is_shape && (p.in_signature || p.inplace_of < 0);
}

namespace {
// Values that stand in the case itself: a plain number, or a list that no seed enters. Drawn data
// is never shown to host code, whatever the definition declares: it could compute the answer there.
bool KnownToTheHost(const task::TaskSpec& task, size_t i) {
  if (i >= task.inputs.size()) return false;
  const task::ParamSpec& p = task.inputs[i];
  if (p.kind == task::ParamKind::kScalar) return true;
  const std::string kind = task::DistSpecOf(p.dist).kind;
  return kind == "values" || kind == "constant";
}
}  // namespace

bool ShownToTheHost(const task::TaskSpec& task, const OperatorDefinition& op, size_t i) {
  return KnownToTheHost(task, i) && i < op.inputs.size() &&
         (op.inputs[i].value_depend || op.inputs[i].scalar);
}

TileRequest TileRequestOf(const task::TaskSpec& task, const OperatorDefinition& op,
                          const task::CaseDesc& c, const task::TensorSet& inputs,
                          const chip::Chip& chip, bool show_values) {
  TileRequest request;
  request.op = op.name, request.chip = chip::ToJson(chip);
  const std::optional<size_t> column = ColumnOf(op, c);
  size_t flat = 0;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const task::ParamDesc& p = c.inputs[i];
    request.inputs.push_back(ParamOf(p, FormatOf(op.inputs, c.inputs, i, column)));
    TileParam& asked = request.inputs.back();
    // Only values the definition declares as needed for tiling are shown to host code.
    const bool wanted = show_values && i < op.inputs.size() && op.inputs[i].value_depend;
    if (!asked.list && p.present && (wanted || ShownToTheHost(task, op, i)) &&
        p.tensors[0].Bytes() <= (1u << 20))
      asked.tensors[0].data.assign(inputs.Bytes(flat).begin(),
                                   inputs.Bytes(flat).begin() + long(p.tensors[0].Bytes()));
    flat += p.tensors.size();
  }
  for (const task::ParamDesc& p : c.outputs)
    if (InDefinition(p))
      request.outputs.push_back(
          ParamOf(p, FormatOf(op.outputs, c.outputs, request.outputs.size(), column)));
  for (const task::AttrValue& a : c.attrs) request.attrs[a.name] = a.value;
  return request;
}

}  // namespace akgen::judge
