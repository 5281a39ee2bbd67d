// op_kernel/<name>.cpp: helpers that are used, a class per kernel (one for all columns of dtypes
// where merge_columns can), the entry that chooses by tiling key.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "craft/emit/cube_class.h"
#include "craft/emit/kernel_class.h"

namespace akgen::craft {
namespace {

std::string Upper(const std::string& s) {
  std::string out;
  for (char c : s) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// The dtype that names the column: that of the first tensor parameter whose dtype varies.
size_t MainParam(const std::vector<LoweredProgram>& columns) {
  const auto& params = columns[0].program.params;
  for (size_t i = 0; i < params.size(); ++i)
    for (const auto& c : columns)
      if (!params[i].is_attr && c.program.params[i].dtype != params[i].dtype) return i;
  for (size_t i = 0; i < params.size(); ++i)
    if (!params[i].is_attr) return i;
  return 0;
}

std::string DtypeMacroType(base::Dtype d) { return d == base::Dtype::kBool ? "bool" : CppType(d); }
// Complex numbers have no type in kernels: with them, dtypes are told by their numbers.
std::string DtypeMacroNumber(base::Dtype d) { return GeType(d).substr(4); }

// The class of one kernel: definitions shared by columns, and for each column the type to use.
struct Classes {
  std::string definitions;
  std::vector<std::string> type;  // by column
  std::string
      by_dtypes;  // the type of every column, by the operator's dtypes; empty: only `type` says it
};

// The tensors whose dtypes differ between columns, each set of dtypes once: what classes are
// templates over.
struct Dtypes {
  std::vector<TypeParameter> parameters;
  std::vector<std::string> macros;  // DTYPE_X of each
  bool usable = true;               // the macros are these types
};
Dtypes DtypesOf(const std::vector<LoweredProgram>& columns, size_t main) {
  Dtypes out;
  auto add = [&](const std::string& tensor, auto dtype_of) {
    TypeParameter t;
    bool varies = false, plain = true;
    for (const LoweredProgram& c : columns) {
      const base::Dtype d = dtype_of(c.program);
      t.types.push_back(CppType(d));
      varies |= t.types.back() != t.types[0];
      plain &= DtypeMacroType(d) == t.types.back() && d != base::Dtype::kComplex64;
    }
    out.usable &= plain || !varies;
    for (const auto& other : out.parameters) varies &= other.types != t.types;
    if (!varies) return;
    t.name = out.parameters.empty() ? "T" : "T" + CamelCase(tensor);
    out.parameters.push_back(std::move(t));
    out.macros.push_back("DTYPE_" + Upper(tensor));
  };
  const ir::Program& program = columns[0].program;
  auto add_param = [&](size_t i) {
    if (!program.params[i].is_attr)
      add(program.params[i].name, [i](const auto& p) { return p.params[i].dtype; });
  };
  if (!program.params.empty()) add_param(main);
  for (size_t i = 0; i < program.params.size(); ++i) add_param(i);
  for (size_t i = 0; i < program.tensors.size(); ++i)
    if (program.tensors[i].kind != ir::HostTensor::kWorkspace)
      add(program.tensors[i].name, [i](const auto& p) { return p.tensors[i].dtype; });
  return out;
}

// `  TYPE name;`, `  TYPE name = 0;` or `  TYPE name[64];`: the type, and the rest. Empty: another
// line.
std::pair<std::string_view, std::string_view> MemberOf(std::string_view line) {
  if (line.size() < 4 || !line.starts_with("  ") || line[2] == ' ' || !line.ends_with(';'))
    return {};
  line = line.substr(2, line.size() - 3);
  size_t end = 0;
  for (int depth = 0; end < line.size() && (depth > 0 || line[end] != ' '); ++end)
    depth += line[end] == '<' ? 1 : line[end] == '>' ? -1 : 0;
  if (end + 1 >= line.size()) return {};
  std::string_view rest = line.substr(end + 1), name = rest;
  if (name.ends_with(" = 0")) name.remove_suffix(4);
  const bool plain = std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '[' || c == ']';
  });
  if (!plain || line.find('(') != line.npos) return {};
  return {line.substr(0, end), rest};
}

// Members of one type that stand one behind the other, in one declaration where a line has room.
std::string JoinedMembers(const std::string& text) {
  constexpr size_t kWidth = 120;
  std::string out, type;
  size_t open = 0;  // where the declaration in `out` begins that more may be added to
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto [of, name] = MemberOf(line);
    if (!of.empty() && of == type && out.size() - open + name.size() < kWidth) {
      out.resize(out.size() - 2);
      out += fmt::format(", {};\n", name);
      continue;
    }
    type = of, open = out.size();
    out += line + "\n";
  }
  return out;
}

// One line behind the other; what has several stands by itself.
void AddHelper(const char* text, std::string& out) {
  const bool one_line = std::string_view(text).find('\n') + 1 == std::string_view(text).size();
  if (!one_line && !out.ends_with("\n\n")) out += "\n";
  out += text;
  if (!one_line) out += "\n";
}

ClassText TextOf(const LoweredProgram& p, size_t kernel, bool vector, std::set<std::string>& uses) {
  if (!p.kernels[kernel].cube || vector) return KernelClass(p, kernel).Text(uses);
  return {{ClassPart::kFixed, CubeClass(p, kernel).Body(uses)}};
}

// A class `Add` would hide the library's function in it.
std::string ClassName(const LoweredProgram& p, size_t kernel, bool vector) {
  std::string name = CamelCase(p.kernels[kernel].kernel.name);
  if (name.find("Kernel") == std::string::npos) name += "Kernel";
  if (vector) name += "Vector";
  size_t launches = 0;
  for (size_t k = 0; k < kernel; ++k)
    launches += p.kernels[k].kernel.name == p.kernels[kernel].kernel.name;
  return launches > 0 ? fmt::format("{}{}", name, launches + 1) : name;
}

// One class for all columns where they are alike enough, else one for each text.
// `vector`: of a kernel with products, what its Vector cores do.
Classes ClassesOf(const std::vector<LoweredProgram>& columns, size_t kernel, size_t main,
                  bool vector, std::set<std::string>& uses) {
  Classes out;
  std::vector<ClassText> texts;
  std::vector<int> granules;
  for (const LoweredProgram& c : columns) {
    texts.push_back(TextOf(c, kernel, vector, uses));
    granules.push_back(c.kernels[kernel].granule);
  }
  const std::string name = ClassName(columns[0], kernel, vector);
  const Dtypes dtypes = DtypesOf(columns, main);
  if (auto merged = MergeColumns(texts, dtypes.parameters, granules)) {
    std::string names, macros;
    for (size_t p : merged->parameters) {
      names += (names.empty() ? "typename " : ", typename ") + dtypes.parameters[p].name;
      macros += (macros.empty() ? "" : ", ") + dtypes.macros[p];
    }
    if (!names.empty()) out.definitions = fmt::format("template <{}>\n", names);
    out.definitions += fmt::format("class {} {{\n{}}};\n\n", name, JoinedMembers(merged->body));
    for (size_t c = 0; c < columns.size(); ++c) {
      std::string types;
      for (size_t p : merged->parameters)
        types += (types.empty() ? "" : ", ") + dtypes.parameters[p].types[c];
      out.type.push_back(types.empty() ? name : fmt::format("{}<{}>", name, types));
    }
    if (dtypes.usable) out.by_dtypes = macros.empty() ? name : fmt::format("{}<{}>", name, macros);
    return out;
  }
  std::vector<std::string> bodies;
  for (size_t c = 0; c < columns.size(); ++c) {
    std::string body;
    for (const ClassPart& part : texts[c]) body += part.text;
    const size_t at =
        static_cast<size_t>(std::find(bodies.begin(), bodies.end(), body) - bodies.begin());
    const std::string own = at ? fmt::format("{}{}", name + "Of", at + 1) : name;
    out.type.push_back(own);
    if (at < bodies.size()) continue;
    bodies.push_back(body);
    out.definitions += fmt::format("class {} {{\n{}}};\n\n", own, JoinedMembers(body));
  }
  return out;
}

// Which class serves which dtypes, when columns differ: a specialisation per column.
std::string Chooser(const std::vector<LoweredProgram>& columns, const std::string& name,
                    const Classes& classes, const std::vector<size_t>& varying, bool numbers) {
  std::string out =
      fmt::format("template <{}... Dtypes>\nstruct {};\n", numbers ? "int" : "typename", name);
  std::set<std::string> seen;
  for (size_t c = 0; c < columns.size(); ++c) {
    std::string types;
    for (size_t v : varying)
      types += (types.empty() ? "" : ", ") +
               (numbers ? DtypeMacroNumber : DtypeMacroType)(columns[c].program.params[v].dtype);
    if (!seen.insert(types).second) continue;
    out += fmt::format("template <>\nstruct {}<{}> {{\n  using Type = {};\n}};\n", name, types,
                       classes.type[c]);
  }
  return out + "\n";
}

// Tensor parameters whose dtype differs between columns.
std::vector<size_t> VaryingParams(const std::vector<LoweredProgram>& columns) {
  const auto& params = columns[0].program.params;
  std::vector<size_t> out;
  for (size_t i = 0; i < params.size(); ++i)
    if (!params[i].is_attr && std::any_of(columns.begin(), columns.end(), [&](const auto& c) {
          return c.program.params[i].dtype != params[i].dtype;
        }))
      out.push_back(i);
  return out;
}

std::string RingOffsetName(const LoweredProgram& p, size_t kernel, const Ring& ring) {
  return SafeName(ring.name) + (p.program.sequence ? fmt::format("{}Offset", kernel) : "Offset");
}

// Between two kernels of a sequence.
constexpr const char* kNextKernel =
    "// Behind it all cores have ended the kernel before.\n"
    "__aicore__ inline void NextKernel() {{\n  PipeBarrier<PIPE_ALL>();\n  {}\n}}\n\n";

// Where rings and the program's own workspaces begin.
std::string Offsets(const LoweredProgram& p) {
  std::string out;
  for (size_t k = 0; k < p.kernels.size(); ++k)
    for (const Ring& r : p.kernels[k].rings)
      out +=
          fmt::format("  const int64_t {} = t.{};\n", RingOffsetName(p, k, r), OffsetOf(p, k, r));
  for (const auto& t : p.program.tensors)
    if (t.kind == ir::HostTensor::kWorkspace)
      out += fmt::format("  const int64_t {0}Offset = t.{0}_offset;\n", SafeName(t.name));
  return out;
}

// What the entry does for each kernel: those of a sequence run one after the other, of others the
// tiling key chooses one.
class EntryWriter {
 public:
  // `type_of`: a kernel's class, or that of its Vector cores' part.
  EntryWriter(const LoweredProgram& p, std::function<std::string(size_t, bool)> type_of)
      : p_(p),
        sequence_(p.program.sequence),
        sites_(ir::LaunchSites(p.program)),
        type_of_(std::move(type_of)) {}

  std::string Kernel(size_t k) {
    const LoweredKernel& kernel = p_.kernels[k];
    const bool conditional = sequence_ && sites_[k].conditional;
    std::string in = "  ", out;
    if (conditional) out += fmt::format("  if (t.{} != 0) {{\n", RunsField(k)), in = "    ";
    if (sequence_ && !sites_[k].first) out += in + "NextKernel();\n";
    if (!sequence_ && p_.kernels.size() > 1)
      out += fmt::format("  {}if (TILING_KEY_IS({})) {{\n", k ? "} else " : "", k), in = "    ";
    const char* core = "static_cast<int64_t>(GetBlockIdx())";
    const char* block = "static_cast<int64_t>(GetBlockIdx() / GetSubBlockNum())";
    const std::string type = type_of_(k, false);
    if (kernel.Mixed())
      out += On("AIC", k, in, type, core) + On("AIV", k, in, type_of_(k, true), block);
    else if (sequence_ && p_.program.HasCube())
      out += On(kernel.cube ? "AIC" : "AIV", k, in, type, core);
    else
      out += OnItsCores(k, in, type, core);
    return conditional ? out + "  }\n" : out;
  }

 private:
  std::string On(const char* cores, size_t k, const std::string& in, const std::string& type,
                 const char* core) {
    return fmt::format("{0}if ASCEND_IS_{1} {{\n{2}{0}}}\n", in, cores,
                       OnItsCores(k, in + "  ", type, core));
  }
  // Of a sequence: on the cores that this kernel was launched on; the others wait wherever these
  // do.
  std::string OnItsCores(size_t k, const std::string& in, const std::string& type,
                         const char* core) {
    if (!sequence_) return Run(k, in, type);
    std::string out = fmt::format("{0}if ({1} < t.{2}) {{\n{3}{0}}}", in, core, CoresField(k),
                                  Run(k, in + "  ", type));
    const ir::Block& body = p_.kernels[k].kernel.body;
    const auto syncs = std::count_if(body.begin(), body.end(),
                                     [](const auto& s) { return s->kind == ir::Stmt::kSync; });
    if (syncs == 0) return out + "\n";
    out += " else {\n";
    for (std::ptrdiff_t n = 0; n < syncs; ++n) out += in + "  SyncAll();\n";
    return out + in + "}\n";
  }
  std::string Run(size_t k, const std::string& in, const std::string& type) {
    std::string args;
    for (const auto& t : sites_[k].launch->tensors) args += Address(t) + ", ";
    for (const Ring& r : p_.kernels[k].rings)
      args += fmt::format("user + {}, ", RingOffsetName(p_, k, r));
    return fmt::format("{0}{1} kernel;\n{0}kernel.Init({2}t);\n{0}kernel.Process();\n", in, type,
                       args);
  }
  std::string Address(const std::string& tensor) const {
    const ir::HostTensor* t = p_.program.Tensor(tensor);
    if (!t || t->kind != ir::HostTensor::kWorkspace) return SafeName(tensor);
    return fmt::format("user + {}Offset", SafeName(tensor));
  }

  const LoweredProgram& p_;
  const bool sequence_;
  const std::vector<ir::LaunchSite> sites_;
  const std::function<std::string(size_t, bool)> type_of_;
};
}  // namespace

std::string EmitKernelFile(const std::vector<LoweredProgram>& columns) {
  const LoweredProgram& p = columns[0];
  const ir::Program& program = p.program;
  const std::vector<size_t> varying = VaryingParams(columns);
  std::set<std::string> uses;
  std::string classes, entry;
  bool syncs = false;
  bool rings = false;
  // The class of a kernel, or of its Vector cores' part: its type, with its definitions printed.
  auto type_of = [&](size_t k, bool vector) {
    Classes c = ClassesOf(columns, k, MainParam(columns), vector, uses);
    classes += c.definitions;
    if (!c.by_dtypes.empty()) return c.by_dtypes;
    std::string type = c.type[0];
    if (std::all_of(c.type.begin(), c.type.end(), [&](const auto& t) { return t == type; }))
      return type;
    std::string chooser = CamelCase(p.kernels[k].kernel.name) + (k ? fmt::format("{}", k) : "") +
                          (vector ? "VectorFor" : "For");
    bool numbers = false;
    for (const auto& column : columns)
      for (size_t v : varying) numbers |= column.program.params[v].dtype == base::Dtype::kComplex64;
    classes += Chooser(columns, chooser, c, varying, numbers);
    std::string macros;
    for (size_t v : varying)
      macros += std::string(macros.empty() ? "" : ", ") + (numbers ? "ORIG_DTYPE_" : "DTYPE_") +
                Upper(program.params[v].name);
    return fmt::format("{}<{}>::Type", chooser, macros);
  };
  const bool mixed = program.sequence && program.HasCube();
  EntryWriter writer(p, type_of);
  for (size_t k = 0; k < p.kernels.size(); ++k) {
    syncs |= p.kernels[k].kernel.syncs || program.sequence;
    rings |= p.kernels[k].Mixed();
    entry += writer.Kernel(k);
  }
  if (p.kernels.size() > 1 && !program.sequence) entry += "  }\n";
  std::string out = fmt::format(
      "// Lowered by akgen craft from the program `{}`.\n#include \"kernel_operator.h\"\n",
      program.name);
  if (uses.count("ListItem")) out += "#include \"kernel_operator_list_tensor_intf.h\"\n";
  out += "using namespace AscendC;\n\n";
  for (const auto* helpers : {&VectorHelpers(), &CubeHelpers(), &LaneHelpers()})
    for (const Helper& h : *helpers)
      if (uses.count(h.name)) AddHelper(h.text, out);
  if (!out.ends_with("\n\n")) out += "\n";
  if (program.sequence)
    out +=
        fmt::format(kNextKernel, mixed ? "SyncAll<false>();" : "if (GetBlockNum() > 1) SyncAll();");
  out += classes + fmt::format("extern \"C\" __global__ __aicore__ void {}(", program.name);
  for (const auto& param : program.params)
    if (!param.is_attr) out += fmt::format("GM_ADDR {}, ", SafeName(param.name));
  std::string prologue;
  for (const auto& t : program.tensors)
    if (t.kind != ir::HostTensor::kWorkspace) out += fmt::format("GM_ADDR {}, ", SafeName(t.name));
  out += "GM_ADDR workspace, GM_ADDR tiling) {\n";
  if (rings || mixed)
    out += "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);\n";
  else if (syncs)
    out += "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);\n";
  out += "  GET_TILING_DATA(t, tiling);\n";
  prologue += Offsets(p);
  const bool workspace = !prologue.empty();
  if (workspace) out += "  GM_ADDR user = GetUserWorkspace(workspace);\n" + prologue;
  return out + entry + "}\n";
}

}  // namespace akgen::craft
