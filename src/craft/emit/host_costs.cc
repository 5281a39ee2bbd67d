// What kernels take, as functions of the host.
#include "craft/emit/host_costs.h"

#include <algorithm>

namespace akgen::craft {

std::vector<size_t> KernelCosts::UbParams(size_t k) const {
  std::set<std::string> used;
  for (const auto& c : columns_) ir::Variables(c.kernels[k].ub_bytes, used);
  std::vector<size_t> out;
  for (size_t i = 0; i < p_.kernels[k].kernel.params.size(); ++i)
    if (used.count(p_.kernels[k].kernel.params[i].name)) out.push_back(i);
  return out;
}

std::string KernelCosts::UbBytesFunction(size_t k) const {
  std::vector<std::string> forms;
  for (const auto& c : columns_) forms.push_back(text_.Scalar(c.kernels[k].ub_bytes));
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
  return out;
}

bool KernelCosts::UbBytesDiffer(size_t k) const {
  for (const auto& c : columns_)
    if (ir::ToText(c.kernels[k].ub_bytes) != ir::ToText(p_.kernels[k].ub_bytes)) return true;
  return false;
}

std::string KernelCosts::UbBytesCall(const HostStmt& launch) const {
  std::string args = UbBytesDiffer(launch.kernel) ? "column" : "";
  for (size_t i : UbParams(launch.kernel))
    args += (args.empty() ? "" : ", ") + text_.Scalar(launch.scalars[i]);
  return fmt::format("UbBytes{}({})", launch.kernel, args);
}

std::string KernelCosts::CyclesBody(const LoweredKernel& k, const std::string& in) const {
  std::string out;
  for (const auto& [name, value] : k.parts)
    out += fmt::format("{}const int64_t {} = {};\n", in, SafeName(name), text_.Scalar(value));
  return out + fmt::format("{}return {};\n", in, text_.Scalar(k.cycles));
}

bool KernelCosts::CyclesDiffer(size_t k) {
  auto [known, fresh] = differ_.insert({k, false});
  if (!fresh) return known->second;
  std::string first = CyclesBody(p_.kernels[k], "");
  return known->second = std::any_of(columns_.begin() + 1, columns_.end(), [&](const auto& c) {
           return CyclesBody(c.kernels[k], "") != first;
         });
}

std::set<std::string> KernelCosts::CyclesVariables(size_t k) const {
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

std::string KernelCosts::CyclesFunction(size_t k) {
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

std::string KernelCosts::CyclesCall(const HostStmt& launch) {
  size_t k = launch.kernel;
  const std::string cores = p_.program.sequence ? "launch_cores" : "blocks";
  std::string args = CyclesDiffer(k) ? "column, " + cores : cores;
  const auto& params = p_.kernels[k].kernel.params;
  for (const std::string& v : CyclesVariables(k)) {
    auto it =
        std::find_if(params.begin(), params.end(), [&](const auto& p) { return p.name == v; });
    if (it == params.end())
      args += ", " + SafeName(v.substr(0, v.rfind('_'))) + v.substr(v.rfind('_'));
    else
      args += fmt::format(", static_cast<int64_t>({})",
                          text_.Scalar(launch.scalars[it - params.begin()]));
  }
  return fmt::format("Cycles{}({})", k, args);
}

}  // namespace akgen::craft
