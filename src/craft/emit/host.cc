// op_host/<name>.cpp: the tiling function and the operator's definition.
#include "craft/emit/host_writer.h"

#include <algorithm>
#include <set>

#include "craft/emit/host_helpers.h"

namespace akgen::craft {
namespace {
int OperandBytes(const LoweredKernel& k) {
  for (size_t t = 0; k.cube && t < k.cube->tensors.size(); ++t)
    if (k.cube->tensors[t].position == CubePosition::kA2)
      return static_cast<int>(base::SizeOf(k.cube->tensors[t].dtype));
  return 2;
}

bool HasMixed(const LoweredProgram& p) {
  return std::any_of(p.kernels.begin(), p.kernels.end(), [](const auto& k) { return k.Mixed(); });
}

bool AsksBestCores(const S& s) {
  if (!s) return false;
  return (s->kind == SKind::kCall && s->text == "best_cores") ||
         std::any_of(s->args.begin(), s->args.end(), [](const S& a) { return AsksBestCores(a); });
}

bool AsksBestCores(const ir::HostBlock& b) {
  return std::any_of(b.begin(), b.end(), [](const auto& s) {
    return AsksBestCores(s->value) || AsksBestCores(s->body) || AsksBestCores(s->other) ||
           std::any_of(s->scalars.begin(), s->scalars.end(),
                       [](const S& a) { return AsksBestCores(a); });
  });
}

void Assigned(const ir::HostBlock& b, std::set<std::string>& once,
              std::vector<const HostStmt*>& all) {
  for (const auto& s : b) {
    if (s->kind == HostStmt::kLet && once.insert(s->name).second) all.push_back(s.get());
    Assigned(s->body, once, all);
    Assigned(s->other, once, all);
  }
}
}  // namespace

HostWriter::HostWriter(const std::vector<LoweredProgram>& columns)
    : columns_(columns),
      p_(columns[0]),
      program_(columns[0].program),
      searches_(!program_.HasCube() && AsksBestCores(program_.body)),
      text_(program_),
      costs_(columns, text_),
      launches_(p_, searches_, text_, costs_) {}

std::string HostWriter::Run() {
  std::string camel = CamelCase(program_.name);
  std::string body = TilingBody();
  std::string out = program_.HasCube() ? BlockOfHelper(p_.target, HasMixed(p_)) : "";
  for (size_t k = 0; k < p_.kernels.size(); ++k)
    out += (ir::IsConst(p_.kernels[k].ub_bytes, 0) ? "" : costs_.UbBytesFunction(k)) +
           (searches_ ? costs_.CyclesFunction(k) : "");
  out += fmt::format(
      "// Fills `plan` for so many cores and for tiles of 1/cuts of what fits. Cycles by the "
      "timing model; negative: "
      "refused, `why` says what for.\n"
      "static int64_t Plan(gert::TilingContext *context, [[maybe_unused]] int64_t cores, "
      "[[maybe_unused]] int64_t "
      "cuts, {}TilingData &plan, const char *&why) {{\n",
      camel);
  out += body + "}\n\n" + Search(camel);
  out = HostHelpers(p_.target, out) + out + "}  // namespace optiling\n\n" +
        HostDefinition(columns_, camel);
  std::string head = fmt::format(
      "// Lowered by akgen craft from the program `{0}`.\n#include \"{0}_tiling.h\"\n\n",
      program_.name);
  static const std::pair<const char*, const char*> kHeaders[] = {{"algorithm", "std::m"},
                                                                 {"cstdio", "std::printf"},
                                                                 {"limits", "numeric_limits"},
                                                                 {"string", "std::string"}};
  if (text_.NeedsMath()) head += "#include <cmath>\n";
  for (const auto& [header, word] : kHeaders)
    if (out.find(word) != std::string::npos) head += fmt::format("#include <{}>\n", header);
  return head +
         "\n#include \"register/op_def_registry.h\"\n#include "
         "\"tiling/platform/platform_ascendc.h\"\n\n"
         "namespace optiling {\n" +
         out;
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
                               text_.Desc(p.name), GeType(p.dtype));
    }
    if (!condition.empty()) out += fmt::format("  if ({}) column = {};\n", condition, c);
  }
  return out;
}

std::string HostWriter::LetValue(const HostStmt& s, const HostStmt* launch) {
  if (s.value->kind == SKind::kCall && s.value->text.rfind("block_", 0) == 0 && launch)
    text_.SetBlocks({OperandBytes(p_.kernels[launch->kernel]),
                     p_.kernels[launch->kernel].cube->limits.size() > 1 ? 256 : 512,
                     FitsOf(s, *launch)});
  if (s.value->kind != SKind::kCall || s.value->text != "fit") return text_.Scalar(s.value);
  if (!launch) return text_.Scalar(s.value->args[0]);
  std::string v = SafeName(s.name);
  return fmt::format("Fit({}, {}, ub, cuts, [&](int64_t {}) {{ return {}; }})",
                     text_.Scalar(s.value->args[0]), text_.Scalar(s.value->args[1]), v,
                     costs_.UbBytesCall(*launch));
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
        out += RefusedLine(in, fmt::format("!({})", text_.Scalar(s->value)),
                           ir::ToText(s->value) + " does not hold");
        break;
      case HostStmt::kIf:
        out += fmt::format("{}if ({}) {{\n", in, text_.Scalar(s->value));
        Body(s->body, depth + 1, out);
        if (!s->other.empty()) {
          out += in + "} else {\n";
          Body(s->other, depth + 1, out);
        }
        out += in + "}\n";
        break;
      case HostStmt::kLaunch: launches_.Write(*s, in, out); break;
    }
  }
}

// Whether blocks fit in UB, where their sums go to Vector cores. Empty: they do not.
std::string HostWriter::FitsOf(const HostStmt& let, const HostStmt& launch) const {
  if (!HasMixed(p_)) return {};
  if (!p_.kernels[launch.kernel].Mixed()) return ", [](int64_t, int64_t) { return true; }";
  std::string rows = SafeName(let.name), cols = SafeName(let.value->tensor);
  if (let.value->text == "block_cols") std::swap(rows, cols);
  return fmt::format(", [&](int64_t {}, int64_t {}) {{ return {} <= ub; }}", rows, cols,
                     costs_.UbBytesCall(launch));
}

std::string HostWriter::TilingBody() {
  std::string out =
      "  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());\n"
      "  uint64_t ub_size = 0;\n"
      "  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub_size);\n"
      "  const int64_t ub = static_cast<int64_t>(ub_size) - kUbReserve;\n" +
      RefusedLine("  ", "ub <= 0", "the chip's UB is too small") +
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
    if (costs_.UbBytesDiffer(k) || (searches_ && costs_.CyclesDiffer(k))) {
      out += ColumnCode();
      break;
    }
  for (const auto& p : program_.params) {
    if (!p.is_attr || p.is_int_list) continue;
    size_t i = text_.AttrIndex(p.name);
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
        SafeName(t.name), text_.Scalar(s), base::SizeOf(t.dtype));
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
