// op_host/<name>.cpp: the tiling function and the operator's definition.
#include "craft/emit/host_writer.h"

namespace akgen::craft {
namespace {
int OperandBytes(const LoweredKernel& k) {
  for (size_t t = 0; k.cube && t < k.cube->tensors.size(); ++t)
    if (k.cube->tensors[t].position == CubePosition::kA2)
      return static_cast<int>(base::SizeOf(k.cube->tensors[t].dtype));
  return 2;
}
}  // namespace

std::string HostWriter::Run() {
  std::string camel = CamelCase(program_.name);
  std::string body = TilingBody();
  std::string out = program_.HasCube() ? CubeHelper() : "";
  for (size_t k = 0; k < p_.kernels.size(); ++k)
    out += (ir::IsConst(p_.kernels[k].ub_bytes, 0) ? "" : UbBytesFunction(k)) +
           (searches_ ? CyclesFunction(k) : "");
  out += fmt::format(
      "// Fills `plan` for so many cores and for tiles of 1/cuts of what fits. Cycles by the "
      "timing model; negative: "
      "refused, `why` says what for.\n"
      "static int64_t Plan(gert::TilingContext *context, [[maybe_unused]] int64_t cores, "
      "[[maybe_unused]] int64_t "
      "cuts, {}TilingData &plan, const char *&why) {{\n",
      camel);
  out += body + "}\n\n" + Search(camel);
  out = Helpers(out) + out + "}  // namespace optiling\n\n" + Definition(camel);
  std::string head = fmt::format(
      "// Lowered by akgen craft from the program `{0}`.\n#include \"{0}_tiling.h\"\n\n",
      program_.name);
  static const std::pair<const char*, const char*> kHeaders[] = {{"algorithm", "std::m"},
                                                                 {"cstdio", "std::printf"},
                                                                 {"limits", "numeric_limits"},
                                                                 {"string", "std::string"}};
  if (needs_math_) head += "#include <cmath>\n";
  for (const auto& [header, word] : kHeaders)
    if (out.find(word) != std::string::npos) head += fmt::format("#include <{}>\n", header);
  return head +
         "\n#include \"register/op_def_registry.h\"\n#include "
         "\"tiling/platform/platform_ascendc.h\"\n\n"
         "namespace optiling {\n" +
         out;
}

std::vector<size_t> HostWriter::UbParams(size_t k) const {
  std::set<std::string> used;
  for (const auto& c : columns_) ir::Variables(c.kernels[k].ub_bytes, used);
  std::vector<size_t> out;
  for (size_t i = 0; i < p_.kernels[k].kernel.params.size(); ++i)
    if (used.count(p_.kernels[k].kernel.params[i].name)) out.push_back(i);
  return out;
}

std::string HostWriter::UbBytesFunction(size_t k) {
  std::vector<std::string> forms;
  for (const auto& c : columns_) forms.push_back(Scalar(c.kernels[k].ub_bytes));
  bool same = std::all_of(forms.begin(), forms.end(), [&](const auto& f) { return f == forms[0]; });
  std::string args;
  for (size_t i : UbParams(k))
    args += fmt::format("{}int64_t {}", args.empty() ? "" : ", ",
                        SafeName(p_.kernels[k].kernel.params[i].name));
  std::string out =
      fmt::format("// Bytes of UB that kernel {} takes.\nstatic int64_t UbBytes{}({}{}{}) {{\n",
                  p_.kernels[k].kernel.name, k, same ? "" : "int column",
                  same || args.empty() ? "" : ", ", args);
  if (!same)
    for (size_t c = 1; c < forms.size(); ++c)
      if (forms[c] != forms[0]) out += fmt::format("  if (column == {}) return {};\n", c, forms[c]);
  out += fmt::format("  return {};\n}}\n\n", forms[0]);
  needs_column_ |= !same;
  return out;
}

bool HostWriter::ColumnMatters(size_t k) const {
  for (const auto& c : columns_)
    if (ir::ToText(c.kernels[k].ub_bytes) != ir::ToText(p_.kernels[k].ub_bytes)) return true;
  return false;
}

std::string HostWriter::CyclesBody(const LoweredKernel& k, const std::string& in) {
  std::string out;
  for (const auto& [name, value] : k.parts)
    out += fmt::format("{}const int64_t {} = {};\n", in, SafeName(name), Scalar(value));
  return out + fmt::format("{}return {};\n", in, Scalar(k.cycles));
}

bool HostWriter::CyclesDiffer(size_t k) {
  auto [known, fresh] = differ_.insert({k, false});
  if (!fresh) return known->second;
  std::string first = CyclesBody(p_.kernels[k], "");
  return known->second = std::any_of(columns_.begin() + 1, columns_.end(), [&](const auto& c) {
           return CyclesBody(c.kernels[k], "") != first;
         });
}

std::set<std::string> HostWriter::CyclesVariables(size_t k) const {
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

std::string HostWriter::CyclesFunction(size_t k) {
  bool differ = CyclesDiffer(k);
  std::string args =
      differ ? "int column, [[maybe_unused]] int64_t blocks" : "[[maybe_unused]] int64_t blocks";
  for (const std::string& v : CyclesVariables(k))
    args += ", [[maybe_unused]] int64_t " + SafeName(v);
  std::string out = fmt::format(
      "// Cycles of kernel {} on so many cores, by the timing model.\nstatic int64_t Cycles{}({}) "
      "{{\n",
      p_.kernels[k].kernel.name, k, args);
  std::map<std::string, std::string> columns;  // body -> who has it
  const std::string first = CyclesBody(p_.kernels[k], "    ");
  for (size_t c = 1; differ && c < columns_.size(); ++c) {
    std::string body = CyclesBody(columns_[c].kernels[k], "    ");
    if (body != first)
      columns[body] += fmt::format("{}column == {}", columns[body].empty() ? "" : " || ", c);
  }
  for (const auto& [body, who] : columns) out += fmt::format("  if ({}) {{\n{}  }}\n", who, body);
  return out + CyclesBody(p_.kernels[k], "  ") + "}\n\n";
}

std::string HostWriter::CyclesCall(const HostStmt& launch) {
  size_t k = launch.kernel;
  const std::string cores = program_.sequence ? "launch_cores" : "blocks";
  std::string args = CyclesDiffer(k) ? "column, " + cores : cores;
  const auto& params = p_.kernels[k].kernel.params;
  for (const std::string& v : CyclesVariables(k)) {
    auto it =
        std::find_if(params.begin(), params.end(), [&](const auto& p) { return p.name == v; });
    if (it == params.end())
      args += ", " + SafeName(v.substr(0, v.rfind('_'))) + v.substr(v.rfind('_'));
    else
      args +=
          fmt::format(", static_cast<int64_t>({})", Scalar(launch.scalars[it - params.begin()]));
  }
  return fmt::format("Cycles{}({})", k, args);
}

bool HostWriter::AsksBestCores(const S& s) {
  if (!s) return false;
  return (s->kind == SKind::kCall && s->text == "best_cores") ||
         std::any_of(s->args.begin(), s->args.end(), [](const S& a) { return AsksBestCores(a); });
}

bool HostWriter::AsksBestCores(const ir::HostBlock& b) {
  return std::any_of(b.begin(), b.end(), [](const auto& s) {
    return AsksBestCores(s->value) || AsksBestCores(s->body) || AsksBestCores(s->other) ||
           std::any_of(s->scalars.begin(), s->scalars.end(),
                       [](const S& a) { return AsksBestCores(a); });
  });
}

std::string HostWriter::Search(const std::string& camel) const {
  if (!searches_)
    return fmt::format(
        "static ge::graphStatus Tiling(gert::TilingContext *context) {{\n"
        "  {0}TilingData plan;\n"
        "  const char *why = nullptr;\n"
        "  if (Plan(context, 0, 0, plan, why) < 0) {{\n"
        "    std::printf(\"{1}: %s\\n\", why);\n    return ge::GRAPH_FAILED;\n  }}\n"
        "  plan.SaveToBuffer(context->GetRawTilingData()->GetData(), "
        "context->GetRawTilingData()->GetCapacity());\n"
        "  context->GetRawTilingData()->SetDataSize(plan.GetDataSize());\n"
        "  return ge::GRAPH_SUCCESS;\n}}\n",
        camel, program_.name);
  return fmt::format(
      "static ge::graphStatus Tiling(gert::TilingContext *context) {{\n"
      "  const int64_t cores = "
      "platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();\n"
      "  {0}TilingData plan;\n"
      "  const char *why = nullptr;\n"
      "  int64_t least = -1, best_cores = 0, best_cuts = 0;\n"
      "  for (int64_t c = cores; c > 0; c -= 1 + c / 8) {{\n"
      "    for (int64_t cuts : {{1, 2, 3, 4, 6, 8, 12, 16}}) {{\n"
      "      const int64_t cycles = Plan(context, c, cuts, plan, why);\n"
      "      if (cycles >= 0 && (least < 0 || cycles < least)) {{\n"
      "        least = cycles;\n        best_cores = c;\n        best_cuts = cuts;\n      }}\n    "
      "}}\n  }}\n"
      "  if (least < 0) {{\n"
      "    std::printf(\"{1}: %s\\n\", why);\n    return ge::GRAPH_FAILED;\n  }}\n"
      "  Plan(context, best_cores, best_cuts, plan, why);\n"
      "  plan.SaveToBuffer(context->GetRawTilingData()->GetData(), "
      "context->GetRawTilingData()->GetCapacity());\n"
      "  context->GetRawTilingData()->SetDataSize(plan.GetDataSize());\n"
      "  return ge::GRAPH_SUCCESS;\n}}\n",
      camel, program_.name);
}

std::string HostWriter::UbBytesCall(const HostStmt& launch) {
  std::string args = ColumnMatters(launch.kernel) ? "column" : "";
  for (size_t i : UbParams(launch.kernel))
    args += (args.empty() ? "" : ", ") + Scalar(launch.scalars[i]);
  return fmt::format("UbBytes{}({})", launch.kernel, args);
}

std::string HostWriter::Desc(const std::string& tensor) const {
  size_t i = InputIndex(tensor);
  return program_.Param(tensor)->is_list ? fmt::format("context->GetDynamicInputDesc({}, 0)", i)
                                         : fmt::format("context->GetRequiredInputDesc({})", i);
}

std::string HostWriter::ColumnCode() {
  std::string out = "  int column = 0;\n";
  for (size_t c = 1; c < columns_.size(); ++c) {
    std::string condition;
    for (const auto& p : columns_[c].program.params) {
      if (p.is_attr || p.optional) continue;
      bool varies = false;
      for (const auto& o : columns_) varies |= o.program.Param(p.name)->dtype != p.dtype;
      if (!varies) continue;
      condition += fmt::format("{}{}->GetDataType() == {}", condition.empty() ? "" : " && ",
                               Desc(p.name), GeType(p.dtype));
    }
    if (!condition.empty()) out += fmt::format("  if ({}) column = {};\n", condition, c);
  }
  return out;
}

std::string HostWriter::LetValue(const HostStmt& s, const HostStmt* launch) {
  if (s.value->kind == SKind::kCall && s.value->text.rfind("block_", 0) == 0 && launch)
    fits_ = FitsOf(s, *launch), operand_bytes_ = OperandBytes(p_.kernels[launch->kernel]),
    with_row_ = p_.kernels[launch->kernel].cube->limits.size() > 1;
  if (s.value->kind != SKind::kCall || s.value->text != "fit") return Scalar(s.value);
  if (!launch) return Scalar(s.value->args[0]);
  std::string v = SafeName(s.name);
  return fmt::format("Fit({}, {}, ub, cuts, [&](int64_t {}) {{ return {}; }})",
                     Scalar(s.value->args[0]), Scalar(s.value->args[1]), v, UbBytesCall(*launch));
}

// A check, and what the log says where it refuses the inputs.
std::string HostWriter::Refused(const std::string& in, const std::string& when,
                                const std::string& why) {
  return fmt::format("{}if ({}) return Refused(why, {:?});\n", in, when, why);
}

void HostWriter::Assigned(const ir::HostBlock& b, std::set<std::string>& once,
                          std::vector<const HostStmt*>& all) {
  for (const auto& s : b) {
    if (s->kind == HostStmt::kLet && once.insert(s->name).second) all.push_back(s.get());
    Assigned(s->body, once, all);
    Assigned(s->other, once, all);
  }
}

void HostWriter::Body(const ir::HostBlock& b, int depth, std::string& out) {
  std::string in(depth * 2, ' ');
  for (size_t n = 0; n < b.size(); ++n) {
    const auto& s = b[n];
    switch (s->kind) {
      case HostStmt::kLet:
        out += fmt::format("{}{} = {};\n", in, SafeName(s->name),
                           LetValue(*s, ir::LaunchWith(b, n + 1, s->name)));
        break;
      case HostStmt::kRequire:
        out += Refused(in, fmt::format("!({})", Scalar(s->value)),
                       ir::ToText(s->value) + " does not hold");
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

void HostWriter::Launch(const HostStmt& s, const std::string& outer, std::string& out) {
  const LoweredKernel& k = p_.kernels[s.kernel];
  const bool scope =
      program_.sequence &&
      (!ListsOf(k.kernel).empty() || !k.kernel.lists.empty());  // names of what its lists have
  const std::string in = outer + (scope ? "  " : "");
  if (scope) out += outer + "{\n";
  if (!ir::IsConst(k.ub_bytes, 0))
    out += Refused(in, UbBytesCall(s) + " > ub",
                   fmt::format("the tiles of {} do not fit in UB", k.kernel.name));
  CubeLimits(s, in, out);
  for (size_t i = 0; i < s.scalars.size(); ++i) {
    const auto& param = k.kernel.params[i];
    out += fmt::format("{}plan.set_{}(static_cast<{}>({}));\n", in, FieldOf(p_, s.kernel, param),
                       param.type == Ty::kFloat ? "float" : "int64_t", Scalar(s.scalars[i]));
  }
  for (const auto& list : ListsOf(k.kernel))
    for (size_t g = 0; g < k.kernel.gms.size(); ++g)
      if (k.kernel.gms[g].name == list)
        Sizes(s.tensors[GmTensorIndex(k, g)], list,
              ListFieldOf(p_, static_cast<size_t>(s.kernel), list), in, out);
  Items(s, in, out);
  if (program_.sequence) {
    if (sites_[static_cast<size_t>(s.kernel)].conditional)
      out += fmt::format("{}plan.set_{}(1);\n", in, RunsField(static_cast<size_t>(s.kernel)));
  } else if (p_.kernels.size() > 1) {
    out += fmt::format("{}context->SetTilingKey({});\n", in, s.kernel);
  }
  if (program_.sequence)
    SequenceCores(s, in, out);
  else
    out += fmt::format("{}blocks = std::max<int64_t>(1, {});\n", in, UsefulCores(s));
  out += in + "context->SetBlockDim(static_cast<uint32_t>(blocks));\n";
  for (const Ring& r : k.rings)
    out += fmt::format(
        "{0}plan.set_{1}(workspace);\n{0}workspace += CeilDiv({2} * {3} * {4} * {5}, 512) * 512;\n",
        in, OffsetOf(p_, static_cast<size_t>(s.kernel), r),
        program_.sequence ? "launch_cores" : "blocks", Scalar(Given(s, ir::Mul(r.rows, r.cols)), 6),
        kRingSlots, base::SizeOf(r.dtype));
  if (!searches_)
    out += in + "cycles = 0;\n";
  else if (program_.sequence)
    out +=
        fmt::format("{}cycles = std::max<int64_t>(cycles, 0) + kBlockCycles * launch_cores + {};\n",
                    in, CyclesCall(s));
  else
    out += fmt::format("{}cycles = kBlockCycles * blocks + {};\n", in, CyclesCall(s));
  if (scope) out += outer + "}\n";
}

// All kernels of a sequence run in one launch, on as many blocks as one of them asks for: each is
// told its own cores. Two Vector cores are a block of an operator that has products.
void HostWriter::SequenceCores(const HostStmt& s, const std::string& in, std::string& out) {
  const bool pairs = program_.HasCube() && !p_.kernels[s.kernel].cube;
  out += fmt::format(
      "{0}launch_cores = std::max<int64_t>(1, {1});\n{0}if (launch_cores > {2}) {{\n{0}  return "
      "-1;\n{0}}}\n"
      "{0}plan.set_{3}(launch_cores);\n{0}blocks = std::max(blocks, {4});\n",
      in, UsefulCores(s), pairs || !program_.HasCube() ? "all_cores" : "cube_cores",
      CoresField(static_cast<size_t>(s.kernel)),
      pairs ? "CeilDiv(launch_cores, 2)" : "launch_cores");
}

// An expression over the kernel's parameters, over what the launch gives for them.
S HostWriter::Given(const HostStmt& launch, const S& over_params) const {
  const auto& params = p_.kernels[launch.kernel].kernel.params;
  return ir::Substitute(over_params, [&](const std::string& name) -> S {
    for (size_t i = 0; i < params.size(); ++i)
      if (params[i].name == name) return launch.scalars[i];
    return nullptr;
  });
}

// Products without a depth are refused, and sums that do not fit in L0C.
void HostWriter::CubeLimits(const HostStmt& s, const std::string& in, std::string& out) {
  const LoweredKernel& k = p_.kernels[s.kernel];
  if (!k.cube) return;
  std::string refused;
  for (const auto& [bytes, most] : k.cube->limits)
    refused +=
        fmt::format("{}{} > {}", refused.empty() ? "" : " || ", Scalar(Given(s, bytes), 5), most);
  for (const S& depth : k.cube->depths)
    refused += fmt::format(" || {} < 1", Scalar(Given(s, depth), 5));
  out +=
      Refused(in, refused, fmt::format("the tiles of {} do not fit in L1 or L0C", k.kernel.name));
}

// Whether blocks fit in UB, where their sums go to Vector cores. Empty: they do not.
std::string HostWriter::FitsOf(const HostStmt& let, const HostStmt& launch) {
  if (std::none_of(p_.kernels.begin(), p_.kernels.end(), [](const auto& k) { return k.Mixed(); }))
    return {};
  if (!p_.kernels[launch.kernel].Mixed()) return ", [](int64_t, int64_t) { return true; }";
  std::string rows = SafeName(let.name), cols = SafeName(let.value->tensor);
  if (let.value->text == "block_cols") std::swap(rows, cols);
  return fmt::format(", [&](int64_t {}, int64_t {}) {{ return {} <= ub; }}", rows, cols,
                     UbBytesCall(launch));
}

// No more cores than there are blocks.
std::string HostWriter::UsefulCores(const HostStmt& s) {
  const LoweredKernel& k = p_.kernels[s.kernel];
  if (!k.cube || !k.blocks) return Scalar(s.value);
  std::set<std::string> used;
  ir::Variables(k.blocks, used);
  for (const std::string& v : used)
    if (std::none_of(k.kernel.params.begin(), k.kernel.params.end(),
                     [&](const auto& p) { return p.name == v; }))
      return Scalar(s.value);
  return fmt::format("std::min<int64_t>({}, {})", Scalar(s.value), Scalar(Given(s, k.blocks)));
}

// Its lists of integers.
void HostWriter::Items(const HostStmt& s, const std::string& in, std::string& out) {
  const ir::Kernel& k = p_.kernels[s.kernel].kernel;
  for (size_t n = 0; n < k.lists.size(); ++n) {
    const std::string l = SafeName(k.lists[n]);
    const std::string field = ListFieldOf(p_, static_cast<size_t>(s.kernel), k.lists[n]);
    out += fmt::format(
        "{0}int64_t {1}_items[{2}] = {{}};\n{0}const int64_t {1}_count = Items({3}, {1}_items, "
        "{2});\n",
        in, l, ir::kMaxItems, List(s.lists[n]));
    out += Refused(
        in, l + "_count < 0",
        fmt::format("{} has more than {} elements or one below 0", k.lists[n], ir::kMaxItems));
    if (searches_)
      out += fmt::format(
          "{0}[[maybe_unused]] const int64_t {1}_mean = CeilDiv(Before({1}_count, {2}), "
          "{1}_count);\n",
          in, l, List(s.lists[n]));
    out += fmt::format("{0}plan.set_{2}_count({1}_count);\n{0}plan.set_{2}_items({1}_items);\n", in,
                       l, field);
  }
}

void HostWriter::Sizes(const std::string& host_name, const std::string& list,
                       const std::string& field, const std::string& in, std::string& out) {
  const HostTensor* t = program_.Tensor(host_name);
  std::string input = t ? t->of : host_name;
  size_t i = InputIndex(input);
  const std::string l = SafeName(list);
  out += fmt::format(
      "{0}int64_t {1}_sizes[{2}] = {{}};\n{0}const int64_t {1}_count = "
      "static_cast<int64_t>(context->GetIrInputInstanceInfo({3})->GetInstanceNum());\n",
      in, l, kMaxTensors, i);
  out += Refused(in, fmt::format("{}_count > {}", l, kMaxTensors),
                 fmt::format("{} has more than {} tensors", input, kMaxTensors));
  out += fmt::format("{0}int64_t {1}_mean = 0;\n", in, l);
  out += fmt::format(
      "{0}for (int64_t i = 0; i < {1}_count; ++i) {{\n{0}  {1}_sizes[i] = "
      "context->GetDynamicInputShape({2}, "
      "i)->GetStorageShape().GetShapeSize();\n{0}  {1}_mean += {1}_sizes[i];\n{0}}}\n",
      in, l, i);
  out += fmt::format("{0}{1}_mean = CeilDiv({1}_mean, {1}_count);\n", in, l);
  out += fmt::format("{0}plan.set_{2}_count({1}_count);\n{0}plan.set_{2}_sizes({1}_sizes);\n", in,
                     l, field);
}

std::string HostWriter::TilingBody() {
  std::string out =
      "  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());\n"
      "  uint64_t ub_size = 0;\n"
      "  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub_size);\n"
      "  const int64_t ub = static_cast<int64_t>(ub_size) - kUbReserve;\n" +
      Refused("  ", "ub <= 0", "the chip's UB is too small") +
      "  [[maybe_unused]] const int64_t all_cores = platform.GetCoreNumAiv();\n";
  if (program_.HasCube()) out += "  const int64_t cube_cores = platform.GetCoreNumAic();\n";
  out += fmt::format("  int64_t blocks = 1, {}cycles = -1, workspace = 0;\n",
                     program_.sequence ? "launch_cores = 1, " : "");
  for (size_t k = 0; program_.sequence && k < p_.kernels.size(); ++k)
    if (sites_[k].conditional) out += fmt::format("  plan.set_{}(0);\n", RunsField(k));
  bool attrs = std::any_of(program_.params.begin(), program_.params.end(),
                           [](const auto& p) { return p.is_attr; });
  if (attrs) out += "  const gert::RuntimeAttrs *attrs = context->GetAttrs();\n";
  for (size_t k = 0; k < p_.kernels.size(); ++k)
    if (ColumnMatters(k) || (searches_ && CyclesDiffer(k))) {
      out += ColumnCode();
      break;
    }
  for (const auto& p : program_.params) {
    if (!p.is_attr || p.is_int_list) continue;
    size_t i = AttrIndex(p.name);
    std::string read = p.type == Ty::kString ? fmt::format("attrs->GetStr({})", i)
                       : p.type == Ty::kFloat
                           ? fmt::format("*attrs->GetAttrPointer<float>({})", i)
                           : fmt::format("*attrs->GetAttrPointer<{}>({})",
                                         p.type == Ty::kBool ? "bool" : "int64_t", i);
    out += fmt::format("  [[maybe_unused]] const {} {} = {};\n", CppScalar(p.type),
                       SafeName(p.name), read);
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

std::string HostWriter::Workspace() {
  std::string out;
  bool syncs = std::any_of(p_.kernels.begin(), p_.kernels.end(),
                           [](const auto& k) { return k.kernel.syncs || k.Mixed(); });
  for (const HostTensor& t : program_.tensors) {
    if (t.kind != HostTensor::kWorkspace) continue;
    auto s = std::make_shared<ir::Scalar>(*ir::Call("prod", {}, Ty::kInt));
    s->shape = t.shape;
    out += fmt::format(
        "  plan.set_{}_offset(workspace);\n  workspace += CeilDiv({} * {}, 512) * 512;\n",
        SafeName(t.name), ShapeCall(s, "prod"), base::SizeOf(t.dtype));
    syncs = true;
  }
  syncs |= program_.sequence;
  return out +
         fmt::format("  context->GetWorkspaceSizes(1)[0] = static_cast<size_t>(workspace){};\n",
                     syncs ? " + platform.GetLibApiWorkSpaceSize()" : "");
}

std::string EmitHostFile(const std::vector<LoweredProgram>& columns) {
  return HostWriter(columns).Run();
}

}  // namespace akgen::craft
