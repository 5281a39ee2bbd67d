#include "judge/host/definition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/files.h"
#include "judge/host/requests.h"

namespace akgen::judge {
namespace {
using record::Finding;
using task::ParamDesc;
using task::ParamKind;

// The line of op_host that names this, as "x" for a parameter: where the developer will look.
record::Place PlaceOf(const toolchain::Project& project, const std::string& quoted) {
  record::Place place;
  for (const auto& file : project.host_sources) {
    auto text = base::ReadFile(file.string());
    if (!text.ok()) continue;
    const std::string relative = file.lexically_relative(project.dir).string();
    if (place.file.empty()) place.file = relative;
    if (const size_t at = text->find(quoted); at != std::string::npos) {
      place.file = relative;
      place.line = 1 + int(std::count(text->begin(), text->begin() + int64_t(at), '\n'));
      return place;
    }
  }
  return place;
}
std::string Quoted(const std::string& name) { return "\"" + name + "\""; }

class Faults {
 public:
  explicit Faults(const toolchain::Project& project) : project_(project) {}
  void Add(const char* code, const std::string& at, std::string message, std::string fix) {
    Finding f;
    f.code = code, f.message = std::move(message), f.fix = std::move(fix);
    f.place = PlaceOf(project_, at);
    out_.push_back(std::move(f));
  }
  std::vector<Finding> Take() { return std::move(out_); }

 private:
  const toolchain::Project& project_;
  std::vector<Finding> out_;
};

template <class Spec>
std::vector<std::string> NamesOf(const std::vector<Spec>& specs) {
  std::vector<std::string> names;
  for (const Spec& s : specs) names.push_back(s.name);
  return names;
}

// The same names in another order; other names are the developer's own.
bool Permuted(std::vector<std::string> a, std::vector<std::string> b) {
  if (a == b) return false;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

void Kinds(const std::vector<ParamDefinition>& params, const std::vector<task::ParamSpec>& specs,
           const char* what, Faults& out) {
  for (size_t i = 0; i < std::min(params.size(), specs.size()); ++i) {
    const std::string& name = params[i].name;
    const bool list = specs[i].kind == ParamKind::kList;
    if (list == (params[i].presence == Presence::kDynamic)) continue;
    out.Add("AK3010", Quoted(name),
            fmt::format("{} '{}' is {} in the definition, and {} in the task", what, name,
                        NameOf(params[i].presence), list ? "a list of tensors" : "one tensor"),
            fmt::format("ParamType({})", list                ? "DYNAMIC"
                                         : specs[i].optional ? "OPTIONAL"
                                                             : "REQUIRED"));
  }
  if (std::vector<std::string> names = NamesOf(params), wanted = NamesOf(specs);
      Permuted(names, wanted))
    out.Add("AK3010", Quoted(names[0]),
            fmt::format("{}s are defined in the order {}; the task's is {}", what,
                        fmt::join(names, ", "), fmt::join(wanted, ", ")),
            "define them in the task's order: callers pass them by position");
}

// Entry i of every list together is one combination; DataTypeList and FormatList are combined with
// all others.
void Lengths(const OperatorDefinition& op, Faults& out) {
  size_t columns = 0;
  std::string first;
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const ParamDefinition& p : *list) {
      const size_t dtypes = p.dtypes.size(), formats = p.formats.size();
      if (!dtypes) {
        out.Add("AK3011", Quoted(p.name),
                fmt::format("'{}' has no data type in the definition", p.name),
                "DataType({...}), one per combination");
        continue;
      }
      if (p.dtype_both)
        out.Add("AK3011", Quoted(p.name),
                fmt::format("'{}' has both DataType and DataTypeList", p.name),
                "a parameter's types are columns of the combinations or a list of its own");
      if (p.dtype_list) continue;
      if (formats > 1 && formats != dtypes)
        out.Add("AK3011", Quoted(p.name),
                fmt::format("'{}' has {} data types and {} formats", p.name, dtypes, formats),
                "list as many formats as data types: entry i of each is one combination");
      if (first.empty()) first = p.name, columns = dtypes;
      if (dtypes != columns)
        out.Add(
            "AK3011", Quoted(p.name),
            fmt::format("'{}' has {} data types where '{}' has {}", p.name, dtypes, first, columns),
            "list as many for every parameter: entry i of all of them is one combination");
    }
}

// The build puts attributes into a Python program: words of that language, and names that the
// program has itself.
bool IsReserved(const std::string& name) {
  static constexpr std::string_view kReserved =
      " False None True and arg as assert break class continue def del elif else except finally "
      "for from "
      "global if import in is lambda nonlocal not or pass raise return try while with yield "
      "__attrs__ "
      "__inputs__ __outputs__ _build_args ascendc_api_version ascendc_api_version_file "
      "ascendc_api_version_header_path ascendc_src_dir ascendc_src_dir_ex ascendc_src_file attr "
      "bisheng "
      "bisheng_path code_channel compile_op custom_all_compile_options "
      "custom_all_compile_options_soc "
      "custom_compile_options custom_compile_options_soc get_code_channel get_current_build_config "
      "get_dtype_fmt_options get_kernel_source impl_mode isinstance op_info op_type options "
      "origin_func_name os re result shutil soc_short soc_version src tikcpp_path ";
  return kReserved.find(" " + name + " ") != std::string_view::npos;
}

void Attributes(const OperatorDefinition& op, const task::TaskSpec& task, Faults& out) {
  for (const AttrDefinition& a : op.attrs)
    if (IsReserved(a.name))
      out.Add("AK3013", Quoted(a.name),
              fmt::format("attribute '{}' has a name that the build takes for itself", a.name),
              "give it another name");
  for (const task::AttrSpec& wanted : task.attrs) {
    auto at = std::find_if(op.attrs.begin(), op.attrs.end(),
                           [&](const auto& a) { return a.name == wanted.name; });
    if (at == op.attrs.end()) {
      out.Add("AK3013", "OpDef", fmt::format("the definition has no attribute '{}'", wanted.name),
              fmt::format("this->Attr(\"{}\"), of type {}", wanted.name, wanted.type));
      continue;
    }
    if (at->type != wanted.type)
      out.Add("AK3013", Quoted(wanted.name),
              fmt::format("attribute '{}' is of type {} in the definition, {} in the task",
                          wanted.name, at->type, wanted.type),
              "give it the task's type");
  }
}

void Chips(const OperatorDefinition& op, const chip::Chip& chip, Faults& out) {
  if (std::find(op.configs.begin(), op.configs.end(), chip.ConfigName()) != op.configs.end())
    return;
  out.Add("AK3014", "AICore",
          op.configs.empty() ? "the definition names no chip (AddConfig): nothing is built for it"
                             : fmt::format("the definition is for {}, not for {}",
                                           fmt::join(op.configs, ", "), chip.ConfigName()),
          fmt::format("this->AICore().AddConfig(\"{}\")", chip.ConfigName()));
}

bool OfThisOperator(const std::string& registered, const std::string& op) {
  if (!registered.starts_with(op)) return false;
  const std::string_view rest = std::string_view(registered).substr(op.size());
  return rest.empty() || (rest.size() > 1 && rest[0] == '_' &&
                          std::all_of(rest.begin() + 1, rest.end(),
                                      [](unsigned char c) { return std::isdigit(c); }));
}

void Names(const Description& host, const OperatorDefinition& op, const toolchain::Project& project,
           Faults& out) {
  const std::string &type = op.name, kernel = KernelNameOf(type), &entry = project.entry.name;
  if (entry != kernel &&
      std::find(op.kernel_names.begin(), op.kernel_names.end(), entry) == op.kernel_names.end())
    out.Add("AK3015", type,
            fmt::format("operator {} would call a kernel function {}; the kernel file has {}", type,
                        kernel, entry),
            fmt::format("name the kernel function {}, or the operator after it", kernel));
  if (host.tiling.empty()) return;
  auto ours = [&](const TilingClass& t) { return OfThisOperator(t.op, type); };
  if (std::any_of(host.tiling.begin(), host.tiling.end(), ours)) return;
  const std::string& other = host.tiling[0].op;
  out.Add("AK3015", other,
          fmt::format("tiling data is registered for {} and not for {}: its kernel would know no "
                      "tiling structure",
                      other, type),
          fmt::format("REGISTER_TILING_DATA_CLASS({}, …)", type));
}

// Of one parameter, among its types at `column`.
bool Allows(const ParamDefinition& definition, const ParamDesc& p, size_t column) {
  if (p.tensors.empty() || definition.scalar) return true;
  const std::vector<int>& dtypes = definition.dtypes;
  const int dtype = p.DeclaredDtype();
  if (definition.dtype_list) return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
  return column < dtypes.size() && dtypes[column] == dtype;
}

struct Pairing {
  const ParamDefinition* definition = nullptr;
  const ParamDesc* given = nullptr;
};
std::vector<Pairing> PairingsOf(const OperatorDefinition& op, const task::CaseDesc& c) {
  std::vector<Pairing> out;
  for (size_t i = 0; i < std::min(op.inputs.size(), c.inputs.size()); ++i)
    out.push_back({&op.inputs[i], &c.inputs[i]});
  size_t at = 0;
  for (const ParamDesc& p : c.outputs)
    if (InDefinition(p) && at < op.outputs.size()) out.push_back({&op.outputs[at++], &p});
  return out;
}

std::string_view DeclaredDtypeName(const ParamDesc& p) {
  return p.DeclaredDtype() == task::kInt4 ? "int4" : base::NameOf(p.tensors[0].dtype);
}

std::string DtypesText(const std::vector<Pairing>& pairs) {
  std::vector<std::string> parts;
  for (const Pairing& p : pairs)
    if (!p.given->tensors.empty() && !p.definition->scalar)
      parts.push_back(fmt::format("{} {}", p.definition->name, DeclaredDtypeName(*p.given)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The first data type that its parameter does not list at all, with those that it lists.
std::string Unlisted(const std::vector<Pairing>& pairs) {
  for (const Pairing& p : pairs) {
    const std::vector<int>& listed = p.definition->dtypes;
    if (p.given->tensors.empty() || p.definition->scalar ||
        std::ranges::count(listed, p.given->DeclaredDtype()))
      continue;
    std::vector<std::string_view> names;
    for (int d : listed)
      if (const std::string_view name = base::NameOf(static_cast<base::Dtype>(d));
          std::ranges::count(names, name) == 0)
        names.push_back(name);
    return fmt::format("the case has {}; {} lists {}", DeclaredDtypeName(*p.given),
                       p.definition->name, fmt::join(names, ", "));
  }
  return {};
}

constexpr int kUndefined = 28;  // ge::DT_UNDEFINED: InferDataType left it

std::string ShapeText(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// One element is one element, whether it has an axis or none.
bool SameShape(const std::vector<int64_t>& inferred, const std::vector<int64_t>& wanted) {
  for (int64_t extent : inferred)
    if (extent < 0) return true;
  auto single = [](const std::vector<int64_t>& s) {
    return s.size() <= 1 && std::all_of(s.begin(), s.end(), [](int64_t n) { return n == 1; });
  };
  return inferred == wanted || (single(inferred) && single(wanted));
}
}  // namespace

std::string KernelNameOf(std::string_view op_type) {
  auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string out;
  for (size_t i = 0; i < op_type.size(); ++i) {
    const char c = op_type[i];
    if (!upper(c)) {
      out += c;
      continue;
    }
    const bool after_word = i > 0 && !upper(op_type[i - 1]) && op_type[i - 1] != '_';
    const bool starts_word =
        i > 0 && upper(op_type[i - 1]) && i + 1 < op_type.size() && lower(op_type[i + 1]);
    if (after_word || starts_word) out += '_';
    out += char(c - 'A' + 'a');
  }
  return out;
}

std::vector<Finding> FaultsOfDefinition(const Description& host, const OperatorDefinition& op,
                                        const toolchain::Project& project,
                                        const task::TaskSpec& task, const chip::Chip& chip) {
  Faults out(project);
  Kinds(op.inputs, task.inputs, "input", out);
  std::vector<task::ParamSpec> outputs;
  std::copy_if(task.outputs.begin(), task.outputs.end(), std::back_inserter(outputs),
               [](const task::ParamSpec& p) { return InDefinition(p); });
  Kinds(op.outputs, outputs, "output", out);
  Lengths(op, out);
  Attributes(op, task, out);
  Chips(op, chip, out);
  Names(host, op, project, out);
  return out.Take();
}

std::vector<Finding> FaultsOfColumns(const OperatorDefinition& op,
                                     const toolchain::Project& project, const task::CaseDesc& c) {
  const std::vector<Pairing> pairs = PairingsOf(op, c);
  size_t columns = 1;
  for (const Pairing& p : pairs) columns = std::max(columns, p.definition->dtypes.size());
  for (size_t column = 0; column < columns; ++column)
    if (std::all_of(pairs.begin(), pairs.end(),
                    [&](const Pairing& p) { return Allows(*p.definition, *p.given, column); }))
      return {};
  Faults out(project);
  const std::string unlisted = Unlisted(pairs);
  out.Add("AK3012", "DataType",
          unlisted.empty() ? "the definition has no combination of data types for this case: " +
                                 DtypesText(pairs)
                           : unlisted,
          "add the column: one entry more in DataType and Format of every parameter");
  return out.Take();
}

std::vector<Finding> FaultsOfInference(const TileReply& reply, const toolchain::Project& project,
                                       const task::CaseDesc& c) {
  Faults out(project);
  struct Wanted {
    const ParamDesc* param;
    size_t tensor;
  };
  std::vector<Wanted> wanted;  // of one that the case does not ask for, anything is right
  for (const ParamDesc& p : c.outputs)
    for (size_t t = 0; t < p.tensors.size(); ++t)
      if (InDefinition(p)) wanted.push_back({&p, t});
  for (size_t i = 0; i < std::min(wanted.size(), reply.inferred_shapes.size()); ++i) {
    const ParamDesc& p = *wanted[i].param;
    const std::vector<int64_t>& shape = p.DeclaredShape(wanted[i].tensor);
    if (p.compared && !SameShape(reply.inferred_shapes[i], shape))
      out.Add("AK3016", "SetInferShape",
              fmt::format("InferShape says {} for output '{}'; it is {}",
                          ShapeText(reply.inferred_shapes[i]), p.name, ShapeText(shape)),
              "derive it from the inputs' shapes and the attributes");
  }
  for (size_t i = 0; i < std::min(wanted.size(), reply.inferred_dtypes.size()); ++i)
    if (const ParamDesc& p = *wanted[i].param; p.compared &&
                                               reply.inferred_dtypes[i] != kUndefined &&
                                               reply.inferred_dtypes[i] != p.DeclaredDtype())
      out.Add("AK3016", "SetInferDataType",
              fmt::format("InferDataType gives output '{}' another data type than {}", p.name,
                          DeclaredDtypeName(p)),
              "SetOutputDataType of what the output is");
  return out.Take();
}

}  // namespace akgen::judge
