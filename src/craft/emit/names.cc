// Names of what is emitted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "craft/emit/emit.h"

namespace akgen::craft {

std::string CppType(base::Dtype d) {
  using base::Dtype;
  switch (d) {
    case Dtype::kFloat16: return "half";
    case Dtype::kBfloat16: return "bfloat16_t";
    case Dtype::kInt8: return "int8_t";
    case Dtype::kUint8:
    case Dtype::kBool: return "uint8_t";
    case Dtype::kInt16: return "int16_t";
    case Dtype::kInt32: return "int32_t";
    case Dtype::kInt64: return "int64_t";
    default: return "float";
  }
}

std::string GeType(base::Dtype d) {
  using base::Dtype;
  switch (d) {
    case Dtype::kFloat16: return "ge::DT_FLOAT16";
    case Dtype::kBfloat16: return "ge::DT_BF16";
    case Dtype::kInt8: return "ge::DT_INT8";
    case Dtype::kUint8: return "ge::DT_UINT8";
    case Dtype::kInt16: return "ge::DT_INT16";
    case Dtype::kInt32: return "ge::DT_INT32";
    case Dtype::kInt64: return "ge::DT_INT64";
    case Dtype::kBool: return "ge::DT_BOOL";
    case Dtype::kComplex64: return "ge::DT_COMPLEX64";
    default: return "ge::DT_FLOAT";
  }
}

std::string CamelCase(const std::string& snake) {
  std::string out;
  bool up = true;
  for (char c : snake) {
    if (c == '_') {
      up = true;
    } else {
      out += up ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      up = false;
    }
  }
  return out;
}

std::string SafeName(const std::string& name) {
  static const std::set<std::string> kTaken = {
      "auto",     "bool",      "break",     "case",     "char",      "class",      "const",
      "continue", "default",   "delete",    "do",       "double",    "else",       "enum",
      "explicit", "export",    "extern",    "float",    "for",       "friend",     "goto",
      "half",     "if",        "inline",    "int",      "long",      "namespace",  "new",
      "operator", "private",   "protected", "public",   "register",  "return",     "short",
      "signed",   "sizeof",    "static",    "struct",   "switch",    "template",   "this",
      "throw",    "try",       "typedef",   "typename", "union",     "unsigned",   "using",
      "virtual",  "void",      "volatile",  "while",    "alignas",   "alignof",    "asm",
      "bitand",   "bitor",     "catch",     "compl",    "constexpr", "decltype",   "mutable",
      "noexcept", "nullptr",   "typeid",    "xor",      "pipe",      "t",          "i",
      "row",      "workspace", "tiling",    "context",  "main",      "ub",         "column",
      "platform", "cores",     "plan",      "attrs",    "ub_size",   "user",       "kernel",
      "blocks",   "cycles",    "cuts",      "why",      "all_cores", "cube_cores", "launch_cores"};
  return kTaken.count(name) ? name + "_v" : name;
}

std::string FloatText(double v) {
  if (std::isnan(v)) return "__builtin_nanf(\"\")";
  if (std::isinf(v)) return v > 0 ? "__builtin_inff()" : "(-__builtin_inff())";
  std::string t = fmt::format("{}", static_cast<float>(v));
  if (t.find_first_of(".en") == std::string::npos) t += ".0";
  return t + "f";
}

namespace {
void FindLists(const ir::S& s, std::set<std::string>& out) {
  if (!s) return;
  if (s->kind == ir::SKind::kCall && (s->text == "count" || s->text == "numel"))
    out.insert(s->tensor);
  for (const ir::S& a : s->args) FindLists(a, out);
}
void FindLists(const ir::Block& b, std::set<std::string>& out) {
  for (const auto& s : b) {
    for (const ir::S& e : {s->value, s->first, s->last, s->step}) FindLists(e, out);
    for (const ir::Copy& c : s->copies)
      for (const ir::S& e : {c.gm.offset, c.gm.rows, c.gm.cols, c.gm.row_stride}) FindLists(e, out);
    FindLists(s->body, out);
    FindLists(s->other, out);
  }
}
}  // namespace

std::vector<std::string> ListsOf(const ir::Kernel& k) {
  std::set<std::string> out;
  FindLists(k.body, out);
  return {out.begin(), out.end()};
}

std::string FieldOf(const LoweredProgram& p, size_t kernel, const ir::KernelParam& param) {
  if (p.program.sequence) return fmt::format("{}_{}", SafeName(param.name), kernel);
  for (size_t i = 0; i < kernel; ++i)
    for (const ir::KernelParam& other : p.kernels[i].kernel.params)
      if (other.name == param.name &&
          (other.type == ir::Ty::kFloat) != (param.type == ir::Ty::kFloat))
        return fmt::format("{}_{}", SafeName(param.name), kernel);
  return SafeName(param.name);
}

std::string ListFieldOf(const LoweredProgram& p, size_t kernel, const std::string& list) {
  return SafeName(list) + (p.program.sequence ? fmt::format("_{}", kernel) : "");
}

std::string OffsetOf(const LoweredProgram& p, size_t kernel, const Ring& ring) {
  return SafeName(ring.name) + (p.program.sequence ? fmt::format("_{}_offset", kernel) : "_offset");
}

std::string CoresField(size_t kernel) { return fmt::format("cores_{}", kernel); }
std::string RunsField(size_t kernel) { return fmt::format("runs_{}", kernel); }

std::vector<TilingField> TilingFields(const LoweredProgram& p) {
  std::vector<TilingField> out;
  auto add = [&](const TilingField& f) {
    for (const TilingField& o : out)
      if (o.name == f.name) return;
    out.push_back(f);
  };
  const auto sites = ir::LaunchSites(p.program);
  for (size_t i = 0; i < p.kernels.size(); ++i) {
    for (const ir::KernelParam& param : p.kernels[i].kernel.params)
      add({FieldOf(p, i, param), param.type, false});
    for (const Ring& r : p.kernels[i].rings) add({OffsetOf(p, i, r), ir::Ty::kInt, false});
    if (p.program.sequence) add({CoresField(i), ir::Ty::kInt, false});
    if (p.program.sequence && sites[i].conditional) add({RunsField(i), ir::Ty::kInt, false});
    for (const std::string& list : ListsOf(p.kernels[i].kernel)) {
      add({ListFieldOf(p, i, list) + "_count", ir::Ty::kInt, false});
      add({ListFieldOf(p, i, list) + "_sizes", ir::Ty::kInt, true});
    }
    for (const std::string& list : p.kernels[i].kernel.lists) {
      add({ListFieldOf(p, i, list) + "_count", ir::Ty::kInt, false});
      add({ListFieldOf(p, i, list) + "_items", ir::Ty::kInt, true});
    }
  }
  for (const ir::HostTensor& t : p.program.tensors)
    if (t.kind == ir::HostTensor::kWorkspace)
      add({SafeName(t.name) + "_offset", ir::Ty::kInt, false});
  if (out.empty()) out.push_back({"unused", ir::Ty::kInt, false});
  return out;
}

std::string EmitTilingHeader(const std::vector<LoweredProgram>& columns) {
  const LoweredProgram& p = columns[0];
  std::string camel = CamelCase(p.program.name), guard;
  for (char c : p.program.name)
    guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string out = fmt::format(
      "#ifndef {0}_TILING_H\n#define {0}_TILING_H\n#include "
      "\"register/tilingdata_base.h\"\n\nnamespace optiling {{\n",
      guard);
  out += fmt::format("BEGIN_TILING_DATA_DEF({}TilingData)\n", camel);
  for (const TilingField& f : TilingFields(p)) {
    if (f.sizes) {
      out += fmt::format("  TILING_DATA_FIELD_DEF_ARR(int64_t, {}, {});\n", kMaxTensors, f.name);
    } else {
      out += fmt::format("  TILING_DATA_FIELD_DEF({}, {});\n",
                         f.type == ir::Ty::kFloat ? "float" : "int64_t", f.name);
    }
  }
  out += fmt::format(
      "END_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS({0}, {0}TilingData)\n}}  // namespace "
      "optiling\n#endif\n",
      camel);
  return out;
}

Files EmitProject(const std::vector<LoweredProgram>& columns) {
  const std::string& name = columns[0].program.name;
  return {{"op_host/" + name + ".cpp", EmitHostFile(columns)},
          {"op_host/" + name + "_tiling.h", EmitTilingHeader(columns)},
          {"op_kernel/" + name + ".cpp", EmitKernelFile(columns)}};
}

}  // namespace akgen::craft
