// op_host/<name>.cpp: the tiling function and the operator's definition.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "craft/emit/emit.h"

namespace akgen::craft {
namespace {
using ir::HostStmt;
using ir::HostTensor;
using ir::S;
using ir::SKind;
using ir::Ty;

std::string CppScalar(Ty t) {
  return t == Ty::kFloat ? "double" : t == Ty::kBool ? "bool" : t == Ty::kString ? "std::string" : "int64_t";
}

class HostWriter {
 public:
  explicit HostWriter(const std::vector<LoweredProgram>& columns)
      : columns_(columns), p_(columns[0]), program_(columns[0].program) {}

  std::string Run() {
    std::string camel = CamelCase(program_.name);
    std::string body = TilingBody();
    std::string out = fmt::format(
        "// Lowered by akgen craft from the program `{0}`.\n#include \"{0}_tiling.h\"\n\n#include "
        "<algorithm>\n#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n#include <limits>\n#include <string>\n\n"
        "#include \"register/op_def_registry.h\"\n#include \"tiling/platform/platform_ascendc.h\"\n\nnamespace "
        "optiling {{\n",
        program_.name);
    out += Helpers();
    for (size_t k = 0; k < p_.kernels.size(); ++k) out += UbBytesFunction(k) + (searches_ ? CyclesFunction(k) : "");
    out += fmt::format(
        "// Fills `plan` for so many cores and for tiles of 1/cuts of what fits. Cycles by the timing model; negative: "
        "refused.\n"
        "static int64_t Plan(gert::TilingContext *context, [[maybe_unused]] int64_t cores, [[maybe_unused]] int64_t "
        "cuts, {}TilingData &plan) {{\n",
        camel);
    return out + body + "}\n\n" + Search(camel) + "}  // namespace optiling\n\n" + Definition(camel);
  }

 private:
  std::string Helpers() const {
    return fmt::format(
               "constexpr int64_t kUbReserve = {};  // for temporaries of the library's mathematical functions\n"
               "constexpr int64_t kBlockCycles = {};  // what a launch takes longer for each core, by the timing "
               "model\n\n",
               kUbReserve, p_.target.costs.launch_core) +
           "static inline int64_t CeilDiv(int64_t a, int64_t b) { return b == 0 ? 0 : (a + b - 1) / b; }\n"
           "static inline int64_t FloorDiv(int64_t a, int64_t b) {\n"
           "  return b == 0 ? 0 : a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);\n}\n"
           "static inline int64_t FloorMod(int64_t a, int64_t b) { return b == 0 ? 0 : (a % b + b) % b; }\n"
           "static inline int64_t Dim(const gert::Shape &s, int64_t i) {\n"
           "  const int64_t rank = static_cast<int64_t>(s.GetDimNum());\n"
           "  i = i < 0 ? i + rank : i;\n"
           "  return i >= 0 && i < rank ? s.GetDim(static_cast<size_t>(i)) : 1;\n}\n"
           "// The shortest decimal number that is `v` as float: 0.9, not 0.89999998.\n"
           "static inline double Decimal(float v) {\n"
           "  char text[32];\n"
           "  for (int digits = 1; digits < 9; ++digits) {\n"
           "    std::snprintf(text, sizeof(text), \"%.*g\", digits, static_cast<double>(v));\n"
           "    if (std::strtof(text, nullptr) == v) return std::strtod(text, nullptr);\n"
           "  }\n"
           "  return static_cast<double>(v);\n}\n"
           "// Product of the extents [from, to); negative numbers count from the end.\n"
           "static inline int64_t Prod(const gert::Shape &s, int64_t from, int64_t to) {\n"
           "  const int64_t rank = static_cast<int64_t>(s.GetDimNum());\n"
           "  from = from < 0 ? std::max<int64_t>(0, from + rank) : std::min(from, rank);\n"
           "  to = to < 0 ? to + rank : std::min(to, rank);\n"
           "  int64_t n = 1;\n"
           "  for (int64_t i = from; i < to; ++i) n *= s.GetDim(static_cast<size_t>(i));\n"
           "  return n;\n}\n"
           "template <typename List>\n"
           "static inline int64_t Prod(const List *list) {\n"
           "  int64_t n = 1;\n"
           "  for (size_t i = 0; i < list->GetSize(); ++i) n *= list->GetData()[i];\n"
           "  return n;\n}\n"
           "// A multiple of `step` up to `most` (rounded up): the largest for which `bytes` fits in UB, or, with "
           "`cuts`, such that\n"
           "// turns over `most` are of equal length and of at most 1/cuts of that.\n"
           "template <typename F>\n"
           "static int64_t Fit(int64_t most, int64_t step, int64_t ub, int64_t cuts, F bytes) {\n"
           "  const int64_t all = std::max<int64_t>(1, CeilDiv(most, step));\n"
           "  int64_t low = 1, high = all;\n"
           "  while (low < high) {\n"
           "    const int64_t middle = low + (high - low + 1) / 2;\n"
           "    if (bytes(middle * step) <= ub) {\n      low = middle;\n    } else {\n      high = middle - 1;\n    }\n"
           "  }\n"
           "  return (cuts > 0 ? CeilDiv(all, CeilDiv(all, CeilDiv(low, cuts))) : low) * step;\n}\n"
           "// Cycles of a loop whose units work beside each other; `shared` is what all cores together ask of the "
           "memory. The first\n"
           "// turn's parts come one after the other.\n"
           "[[maybe_unused]] static inline int64_t Overlap(int64_t in, int64_t vector, int64_t out, int64_t scalar, "
           "int64_t shared,\n"
           "                                               int64_t in1, int64_t vector1, int64_t out1) {\n"
           "  return std::max({in, vector, out, scalar, shared}) + in1 + vector1 + out1 - std::max({in1, vector1, "
           "out1});\n}\n\n";
  }

  size_t InputIndex(const std::string& name) const {
    size_t n = 0;
    for (const auto& p : program_.params) {
      if (p.name == name) return n;
      n += !p.is_attr;
    }
    return 0;
  }
  size_t OutputIndex(const std::string& name) const {
    size_t n = 0;
    for (const auto& t : program_.tensors) {
      if (t.name == name) return n;
      n += t.kind != HostTensor::kWorkspace;
    }
    return 0;
  }
  size_t AttrIndex(const std::string& name) const {
    size_t n = 0;
    for (const auto& p : program_.params) {
      if (p.name == name) return n;
      n += p.is_attr;
    }
    return 0;
  }

  std::string Shape(const std::string& tensor) {
    const ir::HostParam* p = program_.Param(tensor);
    if (!p) return fmt::format("context->GetOutputShape({})->GetStorageShape()", OutputIndex(tensor));
    size_t i = InputIndex(tensor);
    const char* kind = p && p->is_list    ? "DynamicInputShape"
                       : p && p->optional ? "OptionalInputShape"
                                          : "RequiredInputShape";
    return fmt::format("context->Get{}({}{})->GetStorageShape()", kind, i, p && p->is_list ? ", 0" : "");
  }

  std::string ShapeCall(const S& s, const std::string& fn) {
    std::string out = fn == "prod" ? "1" : "0";
    for (const ir::ShapePart& part : s->shape) {
      const ir::HostParam* p = part.value ? nullptr : program_.Param(part.tensor);
      std::string term;
      if (part.value) {
        term = fn == "prod" ? Scalar(part.value) : "1";
      } else if (p && p->is_int_list) {
        term = fmt::format(fmt::runtime(fn == "prod" ? "Prod(attrs->GetListInt({}))"
                                                     : "static_cast<int64_t>(attrs->GetListInt({})->GetSize())"),
                           AttrIndex(part.tensor));
      } else if (fn == "prod") {
        term = fmt::format("Prod({}, {}, {})", Shape(part.tensor),
                           part.first ? Scalar(part.first) : std::to_string(part.from),
                           part.last     ? Scalar(part.last)
                           : part.to_end ? "99"
                                         : std::to_string(part.to));
      } else {
        term = fmt::format("static_cast<int64_t>({}.GetDimNum())", Shape(part.tensor));
        if (part.from > 0) term += fmt::format(" - {}", part.from);
        if (!part.to_end && part.to < 0) term += fmt::format(" - {}", -part.to);
      }
      out = out == (fn == "prod" ? "1" : "0") ? term : fmt::format("{} {} {}", out, fn == "prod" ? "*" : "+", term);
    }
    return s->shape.size() > 1 ? "(" + out + ")" : out;
  }

  std::string Call(const S& s) {
    const std::string& f = s->text;
    auto arg = [&](size_t i) { return Scalar(s->args[i]); };
    if (f == "best_cores") return "cores";
    if (f == "vector_cores") return "all_cores";
    if (f == "cores") return "blocks";  // in a kernel's cycles
    if (f == "dim") {
      const ir::HostParam* p = program_.Param(s->tensor);
      if (p && p->is_int_list) return fmt::format("attrs->GetListInt({})->GetData()[{}]", AttrIndex(s->tensor), arg(0));
      return fmt::format("Dim({}, {})", Shape(s->tensor), arg(0));
    }
    if (f == "numel") return Shape(s->tensor) + ".GetShapeSize()";
    if (f == "count")
      return fmt::format("static_cast<int64_t>(context->GetIrInputInstanceInfo({})->GetInstanceNum())",
                         InputIndex(s->tensor));
    if (f == "present") return fmt::format("(context->GetOptionalInputShape({}) != nullptr)", InputIndex(s->tensor));
    if (f == "is_dtype")
      return fmt::format("({}->GetDataType() == {})", Desc(s->tensor), GeType(*ir::DtypeFromShort(s->args[0]->text)));
    if (f == "prod" || f == "len") return ShapeCall(s, f);
    if (f == "int") return fmt::format("static_cast<int64_t>({})", arg(0));
    if (f == "float") return fmt::format("static_cast<double>({})", arg(0));
    if (f == "ceil_div") return fmt::format("CeilDiv({}, {})", arg(0), arg(1));
    if (f == "overlap")
      return fmt::format("Overlap({}, {}, {}, {}, {}, {}, {}, {})", arg(0), arg(1), arg(2), arg(3), arg(4), arg(5),
                         arg(6), arg(7));
    if (f == "min" || f == "max") return fmt::format("std::{}<{}>({}, {})", f, CppScalar(s->type), arg(0), arg(1));
    if (f == "tune") return Scalar(s->args[0]);
    std::string out = "std::" + f + "(" + (f == "pow" ? "" : "static_cast<double>(") + arg(0);
    return f == "pow" ? fmt::format("{}, {})", out, arg(1)) : out + "))";
  }

  std::string Scalar(const S& s, int least = 0) {
    std::string out;
    int level = 9;
    switch (s->kind) {
      case SKind::kConst:
        if (s->type == Ty::kFloat)
          return std::isinf(s->f) ? fmt::format("{}std::numeric_limits<double>::infinity()", s->f < 0 ? "-" : "")
                                  : ir::ToText(s);
        if (s->type == Ty::kBool) return s->i ? "true" : "false";
        if (s->type == Ty::kString) return fmt::format("std::string(\"{}\")", s->text);
        return fmt::format("{}", s->i);
      case SKind::kVar: return SafeName(s->text);
      case SKind::kUnary: return (s->text == "not" ? "!" : "-") + Scalar(s->args[0], 9);
      case SKind::kSelect:
        out = fmt::format("{} ? {} : {}", Scalar(s->args[1], 1), Scalar(s->args[0], 1), Scalar(s->args[2]));
        level = 0;
        break;
      case SKind::kBinary: {
        const std::string& t = s->text;
        if (t == "//" || t == "%")
          return fmt::format("{}({}, {})", t == "//" ? "FloorDiv" : "FloorMod", Scalar(s->args[0]), Scalar(s->args[1]));
        if (t == "/")
          return fmt::format("(static_cast<double>({}) / static_cast<double>({}))", Scalar(s->args[0]),
                             Scalar(s->args[1]));
        level = t == "or" ? 1 : t == "and" ? 2 : t == "+" || t == "-" ? 5 : t == "*" ? 6 : 4;
        out = fmt::format("{} {} {}", Scalar(s->args[0], level),
                          t == "or"    ? "||"
                          : t == "and" ? "&&"
                                       : t,
                          Scalar(s->args[1], level + 1));
        break;
      }
      case SKind::kCall: return Call(s);
    }
    return level < least ? "(" + out + ")" : out;
  }

  // Parameters of the kernel that its UB bytes depend on.
  std::vector<size_t> UbParams(size_t k) const {
    std::set<std::string> used;
    for (const auto& c : columns_) ir::Variables(c.kernels[k].ub_bytes, used);
    std::vector<size_t> out;
    for (size_t i = 0; i < p_.kernels[k].kernel.params.size(); ++i)
      if (used.count(p_.kernels[k].kernel.params[i].name)) out.push_back(i);
    return out;
  }

  std::string UbBytesFunction(size_t k) {
    std::vector<std::string> forms;
    for (const auto& c : columns_) forms.push_back(Scalar(c.kernels[k].ub_bytes));
    bool same = std::all_of(forms.begin(), forms.end(), [&](const auto& f) { return f == forms[0]; });
    std::string args;
    for (size_t i : UbParams(k))
      args += fmt::format("{}int64_t {}", args.empty() ? "" : ", ", SafeName(p_.kernels[k].kernel.params[i].name));
    std::string out =
        fmt::format("// Bytes of UB that kernel {} takes.\nstatic int64_t UbBytes{}({}{}{}) {{\n",
                    p_.kernels[k].kernel.name, k, same ? "" : "int column", same || args.empty() ? "" : ", ", args);
    if (!same)
      for (size_t c = 1; c < forms.size(); ++c)
        if (forms[c] != forms[0]) out += fmt::format("  if (column == {}) return {};\n", c, forms[c]);
    out += fmt::format("  return {};\n}}\n\n", forms[0]);
    needs_column_ |= !same;
    return out;
  }

  bool ColumnMatters(size_t k) const {
    for (const auto& c : columns_)
      if (ir::ToText(c.kernels[k].ub_bytes) != ir::ToText(p_.kernels[k].ub_bytes)) return true;
    return false;
  }
  // What a column's kernel costs, as statements.
  std::string CyclesBody(const LoweredKernel& k, const std::string& in) {
    std::string out;
    for (const auto& [name, value] : k.parts)
      out += fmt::format("{}const int64_t {} = {};\n", in, SafeName(name), Scalar(value));
    return out + fmt::format("{}return {};\n", in, Scalar(k.cycles));
  }
  bool CyclesDiffer(size_t k) {
    auto [known, fresh] = differ_.insert({k, false});
    if (!fresh) return known->second;
    std::string first = CyclesBody(p_.kernels[k], "");
    return known->second = std::any_of(columns_.begin() + 1, columns_.end(),
                                       [&](const auto& c) { return CyclesBody(c.kernels[k], "") != first; });
  }

  // What the cycles of a kernel depend on besides the number of cores: its parameters, and its lists' sizes.
  std::set<std::string> CyclesVariables(size_t k) const {
    std::set<std::string> used;
    for (const auto& c : columns_) {
      std::set<std::string> own;
      ir::Variables(c.kernels[k].cycles, own);
      for (const auto& [name, value] : c.kernels[k].parts) ir::Variables(value, own);
      for (const auto& [name, value] : c.kernels[k].parts) own.erase(name);
      used.insert(own.begin(), own.end());
    }
    return used;
  }
  std::string CyclesFunction(size_t k) {
    bool differ = CyclesDiffer(k);
    std::string args = differ ? "int column, [[maybe_unused]] int64_t blocks" : "[[maybe_unused]] int64_t blocks";
    for (const std::string& v : CyclesVariables(k)) args += ", [[maybe_unused]] int64_t " + SafeName(v);
    std::string out =
        fmt::format("// Cycles of kernel {} on so many cores, by the timing model.\nstatic int64_t Cycles{}({}) {{\n",
                    p_.kernels[k].kernel.name, k, args);
    std::map<std::string, std::string> columns;  // body -> who has it
    const std::string first = CyclesBody(p_.kernels[k], "    ");
    for (size_t c = 1; differ && c < columns_.size(); ++c) {
      std::string body = CyclesBody(columns_[c].kernels[k], "    ");
      if (body != first) columns[body] += fmt::format("{}column == {}", columns[body].empty() ? "" : " || ", c);
    }
    for (const auto& [body, who] : columns) out += fmt::format("  if ({}) {{\n{}  }}\n", who, body);
    return out + CyclesBody(p_.kernels[k], "  ") + "}\n\n";
  }
  std::string CyclesCall(const HostStmt& launch) {
    size_t k = launch.kernel;
    std::string args = CyclesDiffer(k) ? "column, blocks" : "blocks";
    const auto& params = p_.kernels[k].kernel.params;
    for (const std::string& v : CyclesVariables(k)) {
      auto it = std::find_if(params.begin(), params.end(), [&](const auto& p) { return p.name == v; });
      if (it == params.end()) args += ", " + SafeName(v.substr(0, v.rfind('_'))) + v.substr(v.rfind('_'));
      else args += fmt::format(", static_cast<int64_t>({})", Scalar(launch.scalars[it - params.begin()]));
    }
    return fmt::format("Cycles{}({})", k, args);
  }

  static bool AsksBestCores(const S& s) {
    if (!s) return false;
    return (s->kind == SKind::kCall && s->text == "best_cores") ||
           std::any_of(s->args.begin(), s->args.end(), [](const S& a) { return AsksBestCores(a); });
  }
  static bool AsksBestCores(const ir::HostBlock& b) {
    return std::any_of(b.begin(), b.end(), [](const auto& s) {
      return AsksBestCores(s->value) || AsksBestCores(s->body) || AsksBestCores(s->other) ||
             std::any_of(s->scalars.begin(), s->scalars.end(), [](const S& a) { return AsksBestCores(a); });
    });
  }

  // Few cores are started sooner, many work faster; short tiles overlap more, long ones are fewer.
  std::string Search(const std::string& camel) const {
    if (!searches_)
      return fmt::format(
          "static ge::graphStatus Tiling(gert::TilingContext *context) {{\n"
          "  {}TilingData plan;\n"
          "  if (Plan(context, 0, 0, plan) < 0) {{\n    return ge::GRAPH_FAILED;\n  }}\n"
          "  plan.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());\n"
          "  context->GetRawTilingData()->SetDataSize(plan.GetDataSize());\n"
          "  return ge::GRAPH_SUCCESS;\n}}\n",
          camel);
    return fmt::format(
        "static ge::graphStatus Tiling(gert::TilingContext *context) {{\n"
        "  const int64_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();\n"
        "  {}TilingData plan;\n"
        "  int64_t least = -1, best_cores = 0, best_cuts = 0;\n"
        "  for (int64_t c = cores; c > 0; c -= 1 + c / 8) {{\n"
        "    for (int64_t cuts : {{1, 2, 3, 4, 6, 8, 12, 16}}) {{\n"
        "      const int64_t cycles = Plan(context, c, cuts, plan);\n"
        "      if (cycles >= 0 && (least < 0 || cycles < least)) {{\n"
        "        least = cycles;\n        best_cores = c;\n        best_cuts = cuts;\n      }}\n    }}\n  }}\n"
        "  if (least < 0) {{\n    return ge::GRAPH_FAILED;\n  }}\n"
        "  Plan(context, best_cores, best_cuts, plan);\n"
        "  plan.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());\n"
        "  context->GetRawTilingData()->SetDataSize(plan.GetDataSize());\n"
        "  return ge::GRAPH_SUCCESS;\n}}\n",
        camel);
  }

  std::string UbBytesCall(const HostStmt& launch) {
    std::string args = ColumnMatters(launch.kernel) ? "column" : "";
    for (size_t i : UbParams(launch.kernel)) args += (args.empty() ? "" : ", ") + Scalar(launch.scalars[i]);
    return fmt::format("UbBytes{}({})", launch.kernel, args);
  }

  std::string Desc(const std::string& tensor) const {
    size_t i = InputIndex(tensor);
    return program_.Param(tensor)->is_list ? fmt::format("context->GetDynamicInputDesc({}, 0)", i)
                                           : fmt::format("context->GetRequiredInputDesc({})", i);
  }

  // The column of dtypes of this call.
  std::string ColumnCode() {
    std::string out = "  int column = 0;\n";
    for (size_t c = 1; c < columns_.size(); ++c) {
      std::string condition;
      for (const auto& p : columns_[c].program.params) {
        if (p.is_attr || p.optional) continue;
        bool varies = false;
        for (const auto& o : columns_) varies |= o.program.Param(p.name)->dtype != p.dtype;
        if (!varies) continue;
        condition +=
            fmt::format("{}{}->GetDataType() == {}", condition.empty() ? "" : " && ", Desc(p.name), GeType(p.dtype));
      }
      if (!condition.empty()) out += fmt::format("  if ({}) column = {};\n", condition, c);
    }
    return out;
  }

  // `launch`: the first one that takes it.
  std::string LetValue(const HostStmt& s, const HostStmt* launch) {
    if (s.value->kind != SKind::kCall || s.value->text != "fit") return Scalar(s.value);
    if (!launch) return Scalar(s.value->args[0]);
    std::string v = SafeName(s.name);
    return fmt::format("Fit({}, {}, ub, cuts, [&](int64_t {}) {{ return {}; }})", Scalar(s.value->args[0]),
                       Scalar(s.value->args[1]), v, UbBytesCall(*launch));
  }

  void Assigned(const ir::HostBlock& b, std::set<std::string>& once, std::vector<const HostStmt*>& all) {
    for (const auto& s : b) {
      if (s->kind == HostStmt::kLet && once.insert(s->name).second) all.push_back(s.get());
      Assigned(s->body, once, all);
      Assigned(s->other, once, all);
    }
  }

  void Body(const ir::HostBlock& b, int depth, std::string& out) {
    std::string in(depth * 2, ' ');
    for (size_t n = 0; n < b.size(); ++n) {
      const auto& s = b[n];
      switch (s->kind) {
        case HostStmt::kLet:
          out += fmt::format("{}{} = {};\n", in, SafeName(s->name), LetValue(*s, ir::LaunchWith(b, n + 1, s->name)));
          break;
        case HostStmt::kRequire:
          out += fmt::format("{0}if (!({1})) {{\n{0}  return -1;\n{0}}}\n", in, Scalar(s->value));
          break;
        case HostStmt::kIf:
          out += fmt::format("{}if ({}) {{\n", in, Scalar(s->value));
          Body(s->body, depth + 1, out);
          if (!s->other.empty()) {
            out += in + "} else {\n";
            Body(s->other, depth + 1, out);
          }
          out += in + "}\n";
          break;
        case HostStmt::kLaunch: Launch(*s, in, out); break;
      }
    }
  }

  void Launch(const HostStmt& s, const std::string& in, std::string& out) {
    const LoweredKernel& k = p_.kernels[s.kernel];
    out += fmt::format("{0}if ({1} > ub) {{\n{0}  return -1;\n{0}}}\n", in, UbBytesCall(s));
    for (size_t i = 0; i < s.scalars.size(); ++i) {
      const auto& param = k.kernel.params[i];
      out += fmt::format("{}plan.set_{}(static_cast<{}>({}));\n", in, FieldOf(p_, s.kernel, param),
                         param.type == Ty::kFloat ? "float" : "int64_t", Scalar(s.scalars[i]));
    }
    for (const auto& list : ListsOf(k.kernel))
      for (size_t g = 0; g < k.kernel.gms.size(); ++g)
        if (k.kernel.gms[g].name == list) Sizes(s.tensors[GmTensorIndex(k, g)], list, in, out);
    if (p_.kernels.size() > 1) out += fmt::format("{}context->SetTilingKey({});\n", in, s.kernel);
    out +=
        fmt::format("{0}blocks = std::max<int64_t>(1, {1});\n{0}context->SetBlockDim(static_cast<uint32_t>(blocks));\n",
                    in, Scalar(s.value));
    out +=
        searches_ ? fmt::format("{}cycles = kBlockCycles * blocks + {};\n", in, CyclesCall(s)) : in + "cycles = 0;\n";
  }
  static size_t GmTensorIndex(const LoweredKernel&, size_t g) { return g; }

  void Sizes(const std::string& host_name, const std::string& list, const std::string& in, std::string& out) {
    const HostTensor* t = program_.Tensor(host_name);
    std::string input = t ? t->of : host_name;
    size_t i = InputIndex(input);
    std::string l = SafeName(list);
    out += fmt::format(
        "{0}int64_t {1}_sizes[{2}] = {{}};\n{0}const int64_t {1}_count = "
        "static_cast<int64_t>(context->GetIrInputInstanceInfo({3})->GetInstanceNum());\n",
        in, l, kMostTensors, i);
    out += fmt::format("{0}if ({1}_count > {2}) {{\n{0}  return -1;\n{0}}}\n", in, l, kMostTensors);
    out += fmt::format("{0}int64_t {1}_mean = 0;\n", in, l);
    out += fmt::format(
        "{0}for (int64_t i = 0; i < {1}_count; ++i) {{\n{0}  {1}_sizes[i] = context->GetDynamicInputShape({2}, "
        "i)->GetStorageShape().GetShapeSize();\n{0}  {1}_mean += {1}_sizes[i];\n{0}}}\n",
        in, l, i);
    out += fmt::format("{0}{1}_mean = CeilDiv({1}_mean, {1}_count);\n", in, l);
    out += fmt::format("{0}plan.set_{1}_count({1}_count);\n{0}plan.set_{1}_sizes({1}_sizes);\n", in, l);
  }

  std::string TilingBody() {
    std::string out =
        "  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());\n"
        "  uint64_t ub_size = 0;\n"
        "  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub_size);\n"
        "  const int64_t ub = static_cast<int64_t>(ub_size) - kUbReserve;\n"
        "  if (ub <= 0) {\n    return -1;\n  }\n"
        "  [[maybe_unused]] const int64_t all_cores = platform.GetCoreNumAiv();\n"
        "  int64_t blocks = 1, cycles = -1;\n";
    bool attrs = std::any_of(program_.params.begin(), program_.params.end(), [](const auto& p) { return p.is_attr; });
    if (attrs) out += "  const gert::RuntimeAttrs *attrs = context->GetAttrs();\n";
    for (size_t k = 0; k < p_.kernels.size(); ++k)
      if (ColumnMatters(k) || (searches_ && CyclesDiffer(k))) {
        out += ColumnCode();
        break;
      }
    for (const auto& p : program_.params) {
      if (!p.is_attr || p.is_int_list) continue;
      size_t i = AttrIndex(p.name);
      std::string read = p.type == Ty::kString  ? fmt::format("attrs->GetStr({})", i)
                         : p.type == Ty::kFloat ? fmt::format("Decimal(*attrs->GetAttrPointer<float>({}))", i)
                                                : fmt::format("*attrs->GetAttrPointer<{}>({})",
                                                              p.type == Ty::kBool ? "bool" : "int64_t", i);
      out += fmt::format("  [[maybe_unused]] const {} {} = {};\n", CppScalar(p.type), SafeName(p.name), read);
    }
    std::set<std::string> once;
    std::vector<const HostStmt*> lets;
    Assigned(program_.body, once, lets);
    for (const HostStmt* s : lets)
      out += fmt::format("  {} {}{};\n", CppScalar(s->value->type), SafeName(s->name),
                         s->value->type == Ty::kString ? "" : " = 0");
    Body(program_.body, 1, out);
    return out + Workspace() + "  return cycles;\n";
  }

  std::string Workspace() {
    std::string out = "  int64_t workspace = 0;\n";
    bool syncs = std::any_of(p_.kernels.begin(), p_.kernels.end(), [](const auto& k) { return k.kernel.syncs; });
    for (const HostTensor& t : program_.tensors) {
      if (t.kind != HostTensor::kWorkspace) continue;
      auto s = std::make_shared<ir::Scalar>(*ir::Call("prod", {}, Ty::kInt));
      s->shape = t.shape;
      out += fmt::format("  plan.set_{}_offset(workspace);\n  workspace += CeilDiv({} * {}, 512) * 512;\n",
                         SafeName(t.name), ShapeCall(s, "prod"), base::SizeOf(t.dtype));
      syncs = true;
    }
    return out + fmt::format("  context->GetWorkspaceSizes(1)[0] = static_cast<size_t>(workspace){};\n",
                             syncs ? " + platform.GetLibApiWorkSpaceSize()" : "");
  }

  std::string Param(const char* kind, const std::string& name, bool list, bool optional,
                    const std::vector<base::Dtype>& dtypes) {
    std::string types, formats;
    for (base::Dtype d : dtypes) {
      types += (types.empty() ? "" : ", ") + GeType(d);
      formats += formats.empty() ? "ge::FORMAT_ND" : ", ge::FORMAT_ND";
    }
    return fmt::format(
        "    this->{}(\"{}\")\n        .ParamType({})\n        .DataType({{{}}})\n        .Format({{{}}});\n", kind,
        name,
        list       ? "DYNAMIC"
        : optional ? "OPTIONAL"
                   : "REQUIRED",
        types, formats);
  }

  std::string Definition(const std::string& camel) {
    std::string out = fmt::format(
        "namespace ops {{\nclass {0} : public OpDef {{\n public:\n  explicit {0}(const char *name) : OpDef(name) {{\n",
        camel);
    for (const auto& p : program_.params) {
      if (p.is_attr) continue;
      std::vector<base::Dtype> dtypes;
      for (const auto& c : columns_) dtypes.push_back(c.program.Param(p.name)->dtype);
      out += Param("Input", p.name, p.is_list, p.optional, dtypes);
    }
    for (const auto& t : program_.tensors) {
      if (t.kind == HostTensor::kWorkspace) continue;
      std::vector<base::Dtype> dtypes;
      for (const auto& c : columns_) dtypes.push_back(c.program.Tensor(t.name)->dtype);
      out += Param("Output", t.name, t.is_list, false, dtypes);
    }
    for (const auto& p : program_.params) {
      if (!p.is_attr) continue;
      const char* kind = p.is_int_list           ? "ListInt"
                         : p.type == Ty::kFloat  ? "Float"
                         : p.type == Ty::kBool   ? "Bool"
                         : p.type == Ty::kString ? "String"
                                                 : "Int";
      std::string fallback;
      if (p.fallback && ir::AsConst(p.fallback))
        fallback = p.type == Ty::kString                                  ? "\"" + p.fallback->text + "\""
                   : p.type == Ty::kFloat && p.fallback->type == Ty::kInt ? fmt::format("{}.0", p.fallback->i)
                                                                          : Scalar(p.fallback);
      out += fmt::format("    this->Attr(\"{}\").AttrType({}).{}({});\n", p.name,
                         fallback.empty() ? "REQUIRED" : "OPTIONAL", kind, fallback);
    }
    out +=
        "    this->AICore().SetTiling(optiling::Tiling).AddConfig(\"ascend910b\").AddConfig(\"ascend910_93\");\n  "
        "}\n};\n";
    return out + fmt::format("OP_ADD({});\n}}  // namespace ops\n", camel);
  }

  const std::vector<LoweredProgram>& columns_;
  const LoweredProgram& p_;
  const ir::Program& program_;
  bool needs_column_ = false;
  std::map<size_t, bool> differ_;  // by kernel, once it was asked
  bool searches_ = AsksBestCores(program_.body);
};
}  // namespace

std::string EmitHostFile(const std::vector<LoweredProgram>& columns) { return HostWriter(columns).Run(); }

}  // namespace akgen::craft
